"""Hide known secrets in text of any origin: logs, journals, answers of commands.

Elsewhere a secret may be encoded: for a URL, JSON, XML, a properties file, in hexadecimal digits, or in base64, there
also as the end of ``user:password``.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

from ansible.module_utils.kraft.secret_values import HIDDEN, PRIVATE_KEY, is_secret, is_secret_setting

#: Minimum characters of a value to be hidden inside of words, and in other forms. A shorter one would hide half of a
#: log: it is hidden only as a separate word.
SHORT = 6
SHORTEST = 3
LONGEST_KEY = 200  #: maximum lines of a private key without an end that are hidden
PAIR = re.compile(r"\s*([^#!\s=:](?:\\.|[^\s=:\\])*)\s*[=:\s]\s*(.*)$", re.DOTALL)
#: In a login's line: the option, and its value.
QUOTED = re.compile(r'(?:(\w+)\s*=\s*)?"((?:[^"\\]|\\.)+)"')
END = re.compile(r"-----END [A-Z ]*PRIVATE KEY")
#: Any line with a secret matches this; the whole rule takes ten times as long.
SUSPECT = re.compile(
    r"pass|pwd|secret|jaas|credential|token|key|BEGIN|bearer|basic|akia|eyj|://|auth|info|user_|sig|code|hmac|cookie|webhook",
    re.IGNORECASE,
)


class KnownSecrets:
    """The secrets of files of settings, in each form. `files`: their texts."""

    def __init__(self, files: Iterable[str]) -> None:
        values = {one for text in files for one in secrets_of(text)}
        found = {form for value in values if len(value) >= SHORT for form in forms(value)}
        self._forms = sorted(found, key=len, reverse=True)
        self._encoded = sorted({part for value in values for part in base64_parts(value)})
        short = sorted(re.escape(value) for value in values if SHORTEST <= len(value) < SHORT)
        self._short = re.compile(rf"(?<![\w.-])(?:{'|'.join(short)})(?![\w.-])") if short else None

    def hidden(self, text: str) -> str:
        """Return `text` without them, and without private keys and lines that look like other secrets."""
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        for part in self._encoded:
            if part in text:
                text = re.sub(rf"[A-Za-z0-9+/_=-]*{re.escape(part)}[A-Za-z0-9+/_=-]*", HIDDEN, text)
        if self._short:
            text = self._short.sub(HIDDEN, text)
        lines = without_private_keys(text.splitlines(keepends=True))
        return "".join(HIDDEN + "\n" if SUSPECT.search(line) and is_secret("", line) else line for line in lines)


def secrets_of(text: str) -> Iterator[str]:
    """Yield the secrets of a file of settings: as written, as Java reads them, and the quoted parts of them."""
    for line in re.sub(r"(?<!\\)((?:\\\\)*)\\\r?\n[ \t]*", r"\1", text).splitlines():
        pair = PAIR.match(line)
        if pair and is_secret_setting(pair[1], pair[2]) and (is_secret(pair[1], pair[2]) or is_unlike_others(pair[2])):
            for value in (pair[2].strip(), re.sub(r"\\(.)", r"\1", pair[2]).strip()):
                yield value
                yield from (quoted for option, quoted in QUOTED.findall(value) if option != "username")
                yield from (part for part in re.split(r"\\n|\n|(?<=-----)n", value) if len(part) > SHORT)


def is_unlike_others(value: str) -> bool:
    """Check whether a value of an unknown plugin is worth a search: a number or a short word is all over a log."""
    return len(value.strip()) >= SHORT and not value.strip().isdigit()


def forms(value: str) -> set[str]:
    """Return a secret in its own form, and in the encodings of other programs."""
    in_json = json.dumps(value)[1:-1]
    in_xml = escape(value)
    in_url = {encode(value, safe=safe) for encode in (quote, quote_plus) for safe in ("", "/")}
    in_hex = value.encode().hex()
    return {
        value,
        in_json,
        in_json.replace("/", r"\/"),
        json.dumps(value, ensure_ascii=False)[1:-1],
        in_xml,
        *(escape(value, {'"': "&quot;", "'": single}) for single in ("&apos;", "&#39;", "&#x27;")),
        *in_url,
        *(re.sub(r"%..", lambda digits: digits[0].lower(), one) for one in in_url),
        in_hex,
        in_hex.upper(),
        re.sub(r"([\\=:#! ])", r"\\\1", value),
        re.sub(r"([\\=:#!])", r"\\\1", value),
    }


def base64_parts(value: str) -> set[str]:
    """Return the parts that base64 of any text with the secret contains, by its three places in a group of bytes."""
    raw, parts = value.encode(), set[str]()
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + raw).decode().rstrip("=")
        whole_bits = (before + len(raw)) * 8 // 6
        parts.add(whole[(0, 2, 3)[before] : whole_bits])
    long = {part for part in parts if len(part) >= SHORT}
    return long | {part.replace("+", "-").replace("/", "_") for part in long}


def without_private_keys(lines: list[str]) -> Iterator[str]:
    """Hide each line of a private key, also if the text begins within one."""
    first_end = next((at for at, line in enumerate(lines) if END.search(line)), -1)
    begun_before = first_end >= 0 and not any(PRIVATE_KEY.search(line) for line in lines[: first_end + 1])
    left = first_end + 1 if begun_before else 0
    for line in lines:
        if PRIVATE_KEY.search(line):
            left = LONGEST_KEY
        yield HIDDEN + "\n" if left > 0 else line
        left = 0 if END.search(line) else left - 1
