"""Findings of a scanner's report by which an open port counts as weak."""

from __future__ import annotations

import pytest
from scanner import findings

REPORT = """<?xml version="1.0" encoding="UTF-8"?>
<document title="SSLScan Results" version="2.0.7">
 <ssltest host="10.0.0.1" sniname="10.0.0.1" port="29094">
  <protocol type="ssl" version="3" enabled="0" />
  <protocol type="tls" version="1.1" enabled="0" />
  <protocol type="tls" version="1.2" enabled="1" />
  <renegotiation supported="0" secure="0" />
  <heartbleed sslversion="TLSv1.2" vulnerable="0" />
  <cipher status="preferred" sslversion="TLSv1.2" bits="256" cipher="ECDHE-ECDSA-AES256-GCM-SHA384" strength="strong" />
  <group sslversion="TLSv1.3" bits="112" name="ffdhe2048" id="0x0100" />
  <certificates><certificate type="short">
   <signature-algorithm>ecdsa-with-SHA256</signature-algorithm>
   <pk error="false" type="EC" curve_name="prime256v1" bits="128" />
   <self-signed>false</self-signed>
   <expired>false</expired>
  </certificate></certificates>
 </ssltest>
</document>"""


def test_a_sound_door_has_no_finding() -> None:
    assert list(findings(REPORT)) == []


@pytest.mark.parametrize(
    ("sound", "weak", "said"),
    [
        ('version="3" enabled="0"', 'version="3" enabled="1"', "ssl 3 is enabled"),
        ('version="1.1" enabled="0"', 'version="1.1" enabled="1"', "tls 1.1 is enabled"),
        ('supported="0" secure="0"', 'supported="1" secure="0"', "insecure renegotiation"),
        ('vulnerable="0"', 'vulnerable="1"', "heartbleed"),
        ('strength="strong"', 'strength="weak"', "ECDHE-ECDSA-AES256-GCM-SHA384 is weak, with 256 bits"),
        ('256-GCM-SHA384"', '256-SHA384"', "ECDHE-ECDSA-AES256-SHA384 encrypts without authentication"),
        ('bits="112"', 'bits="80"', "the group ffdhe2048 has 80 bits"),
        ("ecdsa-with-SHA256", "sha1WithRSAEncryption", "the certificate is signed with sha1WithRSAEncryption"),
        ('type="EC"', 'type="RSA"', "the key is weak"),
        ("<expired>false", "<expired>true", "the certificate is expired or signed by itself"),
        ("<cipher ", "<other ", "no cipher was accepted"),
        ("certificate type", "nothing type", "no certificate was seen"),
    ],
)
def test_a_weak_one_has(sound: str, weak: str, said: str) -> None:
    text = REPORT.replace(sound, weak, 1)
    if "nothing" in weak:
        text = text.replace("</certificate>", "</nothing>")
    assert list(findings(text)) == [said]
