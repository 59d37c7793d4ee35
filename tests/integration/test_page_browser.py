"""The page in a real browser: nothing fetched, no error, nothing off the edge, readable in light and dark."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml
from ansible.module_utils.kraft.status.screen import sections
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from scripts.site import messages, variables
from scripts.site.__main__ import build, unescaped
from spark_jobs.lessons.sentences import judged, summary
from spark_jobs.page.lessons import render as render_lessons
from spark_jobs.page.mirror import render as render_mirror
from spark_jobs.page.probe import render as render_probe
from spark_jobs.page.smoke import render
from spark_jobs.page.status import render as render_status
from tests.integration.patience import until
from tests.unit.lessons.observations import GOOD
from tests.unit.lessons.observations import report as lessons_report
from tests.unit.page import mirrors
from tests.unit.page.reports import example, hostile, large, with_listeners
from tests.unit.probe.audits import STEPS, audit
from tests.unit.status.large import large_status
from tests.unit.status.scenes import sick_status

ROOT = Path(__file__).resolve().parents[2]
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDTHS = (390, 768, 1280, 1920)
LANES = 12
SCHEMES = ("light", "dark")
LIMIT = 300_000
REPORTS = {
    "proven": lambda: with_listeners(example("report")),
    "failed": lambda: with_listeners(example("failed")),
    "unreachable": lambda: with_listeners(example("unreachable")),
    "large": large,
    "hostile": hostile,
}


def _page_of(name: str) -> str:
    return render(REPORTS[name]())


def _sick_page() -> str:
    found = sick_status()
    return render_status(found, sections(found))


def _large_status_page() -> str:
    found = large_status()
    return render_status(found, sections(found))


def _probe_page() -> str:
    """Twelve brokers and as many hosts with long names, in the lanes of a timeline."""
    hosts = [f"kafka-broker-{one:02}.eu-central-1.messaging.production.example.com" for one in range(1, LANES + 1)]
    named = [{**STEPS[0], "host": host} for host in hosts]
    views = [{"at_us": 10_000_000, "brokers": list(range(1, LANES + 1)), "led": {"1": 1}}]
    fault = {"fault": "node_frozen", "hosts": hosts[:1], "leaders": 9.9, "stall": 30.73, "bound": 39.0, "kept": True}
    return render_probe({**audit(), "steps": named, "views": views, "drill": [{**fault, "whole": 45.0}]})


def _mirror_page() -> str:
    return render_mirror(mirrors.status(), mirrors.HISTORY, mirrors.failed_proof())


def _lessons_page() -> str:
    found = judged(GOOD)
    return render_lessons(lessons_report(GOOD, found, summary(found)))


PAGES: dict[str, Callable[[], str]] = {
    **{name: partial(_page_of, name) for name in REPORTS},
    "sick": _sick_page,
    "many brokers": _large_status_page,
    "mirror": _mirror_page,
    "probe": _probe_page,
    "lessons": _lessons_page,
}
WORDS = {
    "proven": "Proven.",
    "failed": "Failed.",
    "unreachable": "Unreachable.",
    "large": "Failed.",
    "hostile": "Failed.",
    "sick": "Not healthy.",
    "many brokers": "Not healthy.",
    "mirror": "Behind.",
    "probe": "Nothing lost.",
    "lessons": "Shown.",
}

#: Texts that leave the page on the right, outside of a region that scrolls by itself.
CUT_OFF = """
const edge = document.documentElement.clientWidth;
return [...document.querySelectorAll('body *')].filter(e => e.getClientRects().length
  && !e.closest('.scroll') && !e.closest('svg svg') && e.textContent.trim()
  && e.getBoundingClientRect().right > edge + 1).map(e => e.tagName + ': ' + e.textContent.trim().slice(0, 60));
"""
#: Regions whose content is wider than they are.
SCROLLED = """
return [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1)
  .map(e => `${e.getAttribute('aria-label')}: ${e.scrollWidth} > ${e.clientWidth}`);
"""
#: For each picture with lanes, the number of names at the height of their lane, and left of it.
BESIDE = """
return [...document.querySelectorAll('.timeline tbody tr')].map(row => {
  const picture = row.querySelector('svg').getBoundingClientRect();
  const names = [...row.querySelectorAll('.hosts span')];
  const pitch = picture.height / names.length;
  return names.filter((name, lane) => { const box = name.getBoundingClientRect();
    const middle = (box.top + box.bottom) / 2 - picture.top - pitch * (lane + 0.5);
    return box.width > 30 && box.right <= picture.left + 1 && Math.abs(middle) < pitch / 2; }).length;
}).filter(found => found);
"""
#: Cells and code of the documentation site that are outside of their container, or are squeezed.
CUT_CELLS = """
return [...document.querySelectorAll('td')].filter(cell => {
  const shown = cell.closest('.wy-table-responsive').getBoundingClientRect(), box = cell.getBoundingClientRect();
  const few = cell.parentElement.cells.length < 6;
  return box.right > shown.right + 1 || (few && cell.cellIndex === 3 && box.width < 200);
}).map(e => e.textContent.slice(0, 60));
"""
CUT_CODE = """
return [...document.querySelectorAll('pre code')].filter(e => e.scrollWidth > e.clientWidth + 1
  || e.getBoundingClientRect().right > e.closest('pre').getBoundingClientRect().right + 1).map(e => e.textContent);
"""
#: Visible texts with too little contrast to their background (WCAG 2 AA), or that are too small.
UNREADABLE = """
const channel = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const parse = text => text.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const behind = e => { for (; e; e = e.parentElement) {
  const colour = parse(getComputedStyle(e).backgroundColor);
  if (colour.length < 4 || colour[3] > 0) return colour; }
  return matchMedia('(prefers-color-scheme: dark)').matches ? [0, 0, 0] : [255, 255, 255]; };
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || !e.getClientRects().length || e.tagName === 'title') continue;
  const style = getComputedStyle(e);
  const ink = light(parse(e.closest('svg') ? style.fill : style.color)), ground = light(behind(e));
  const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
  if (contrast < 4.5 || parseFloat(style.fontSize) < 11)
    found.push([walker.currentNode.textContent.trim().slice(0, 60), contrast, style.fontSize]);
}
return found;
"""


class Browser:
    """Chromium with one page open at a time, at any width and colour scheme."""

    def __init__(self, profile: Path) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or "/usr/bin/chromium"
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        service = Service(shutil.which("chromedriver") or "/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(options=options, service=service)

    def show(self, path: Path, width: int = 1600, scheme: str = "light") -> None:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        for log in ("browser", "performance"):
            self.driver.get_log(log)  # type: ignore[no-untyped-call]
        self.driver.get(path.as_uri())

    def run(self, script: str) -> Any:
        return self.driver.execute_script(script)

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]

    def requests(self) -> list[str]:
        """Addresses that the page asked for, without those that carry their content in themselves."""
        events = [json.loads(e["message"])["message"] for e in self.driver.get_log("performance")]  # type: ignore[no-untyped-call]
        sent = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith("data:")]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.driver.quit()


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / f"{request.param}.html"
    path.write_text(PAGES[request.param](), encoding="utf-8")
    return path


def test_page_opens_alone_and_without_a_complaint(browser: Browser, page: Path) -> None:
    browser.show(page)
    assert browser.requests() == [page.as_uri()]
    assert browser.run("return performance.getEntriesByType('resource').map(e => e.name)") == []
    assert browser.complaints() == []
    assert page.stat().st_size <= LIMIT


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_leaves_the_page_sideways(browser: Browser, page: Path, width: int) -> None:
    browser.show(page, width)
    assert browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert browser.run(CUT_OFF) == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["sick", "many brokers"])
def test_no_table_of_a_status_has_to_be_scrolled(browser: Browser, tmp_path: Path, name: str, width: int) -> None:
    path = tmp_path / "status.html"
    path.write_text(PAGES[name](), encoding="utf-8")
    browser.show(path, width)
    assert browser.run(SCROLLED) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_each_lane_of_a_timeline_has_its_name_beside_it(browser: Browser, tmp_path: Path, width: int) -> None:
    path = tmp_path / "probe.html"
    path.write_text(_probe_page(), encoding="utf-8")
    browser.show(path, width)
    assert browser.run(BESIDE) == [LANES, LANES]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS[::2])
def test_every_text_can_be_read(browser: Browser, page: Path, width: int, scheme: str) -> None:
    browser.show(page, width, scheme)
    browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.run(UNREADABLE) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_page_follows_the_colour_scheme(browser: Browser, page: Path, scheme: str) -> None:
    browser.show(page, scheme=scheme)
    red = browser.run("return parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])")
    assert red > 200 if scheme == "light" else red < 60


def test_verdict_is_seen_without_its_colour(browser: Browser, page: Path) -> None:
    browser.show(page)
    word = WORDS[page.stem]
    assert browser.run("return document.querySelector('h1').innerText").startswith(word)
    assert browser.run("return document.title").startswith(word.rstrip("."))
    sign = browser.run("const s = document.querySelector('.sign'); const r = s.getBoundingClientRect();"
                       "return [s.querySelector('title').textContent, r.width, r.top < innerHeight]")  # fmt: skip
    assert sign == [word.rstrip("."), 56, True]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Variables, messages, metrics and a module's name of the documentation site, and code longer than a page."""
    place = tmp_path_factory.mktemp("site")
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    (place / "source").mkdir()
    for name in ("site.css", "search_text.js"):
        (place / "source" / name).write_text((ROOT / "scripts/site" / name).read_text())
    code = f"\n```sh\nansible-playbook {'-e kafka_accepted_risks=plain_text ' * 5} # the last word\n```\n"
    text = re.sub(r"\[(\w+)\]\([^)]*\)", r"\1", unescaped(variables.page(ROOT)))
    name = max((each.stem for each in ROOT.glob("library/*.py")), key=len)
    metrics = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", (ROOT / "docs/metrics.md").read_text())
    (place / "source/index.md").write_text(f"{text}{code}\n# {name}\n{metrics}")
    without_links = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", unescaped(messages.page()))
    (place / "source/messages.md").write_text(without_links)
    nav = [{"Variables": "index.md"}, {"Messages": "messages.md"}]
    config |= {"docs_dir": str(place / "source"), "site_dir": str(place / "site"), "nav": nav}
    (place / "mkdocs.yml").write_text(yaml.safe_dump(config))
    assert build(place / "mkdocs.yml") == 0
    return place / "site/index.html"


#: Rule -> a message of it as it is printed, with the operators of a query: each is found among the first three.
PRINTED = {
    "tls_name": "kafka_tls.names[CLIENT]: The value is neither a host name nor an IP address",
    "tls_days": "kafka_tls.days: The number exceeds the 100 days that the authority is valid",
    "host_key_unknown": "ssh does not know its host key",
    "not_root": "The tasks do not run as root",
}
FOUND = "return [...document.querySelectorAll('#mkdocs-search-results a')].slice(0, 3).map(e => e.href.split('#')[1])"


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    """The address of the site: a browser starts no search from files on the disk."""
    handler = partial(QuietHandler, directory=str(site.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("rule", PRINTED)
def test_a_printed_message_is_found_by_its_text(browser: Browser, served: str, rule: str) -> None:
    browser.driver.get(f"{served}/search.html?q={quote(PRINTED[rule])}")
    assert rule in until(lambda: browser.run(FOUND), seconds=120)


@pytest.mark.parametrize("width", WIDTHS)
def test_tables_and_code_of_the_site_can_be_read(browser: Browser, site: Path, width: int) -> None:
    browser.show(site, width)
    assert browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    if width >= WIDTHS[2]:
        assert browser.run(CUT_CELLS) == []
    assert browser.run(CUT_CODE) == []


def test_hostile_names_run_nothing(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(render(hostile()), encoding="utf-8")
    browser.show(path)  # an alert would make the next call fail
    assert browser.run("return document.querySelectorAll('script, img, iframe').length") == 0


@pytest.mark.parametrize(
    ("injected", "complains"),
    [("<img src='http://127.0.0.1:9/x.png'>", True), ("<script>alert(1)</script>", True), ("", False)],
)
def test_what_comes_from_outside_would_be_noticed(
    browser: Browser, tmp_path: Path, injected: str, complains: bool
) -> None:
    path = tmp_path / "broken.html"
    path.write_text(render(example("report")).replace("</footer>", injected + "</footer>"), encoding="utf-8")
    browser.show(path)
    assert bool(browser.complaints()) == complains


@pytest.mark.parametrize(
    ("style", "check", "expected"),
    [("h1 { min-width: 3000px; }", CUT_OFF, "H1"), (".lead { color: var(--rule) !important; }", UNREADABLE, "3 nodes")],
)
def test_what_cannot_be_read_would_be_noticed(
    browser: Browser, tmp_path: Path, style: str, check: str, expected: str
) -> None:
    path = tmp_path / "broken.html"
    path.write_text(render(example("report")).replace("</style>", style + "</style>"), encoding="utf-8")
    browser.show(path)
    assert expected in str(browser.run(check))
