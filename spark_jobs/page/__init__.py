"""The page of a run: one HTML file with everything in it, from the report that the smoke test wrote.

``render(report)`` gives the text of the page. Whatever a report lacks, or however a run failed, there is a page: it
shows what is known and names what is not. Everything that comes out of the report is escaped; the page has no script,
refers to nothing outside itself, and forbids both to the browser.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

import jinja2
from markupsafe import Markup

from spark_jobs.page import summaries, text
from spark_jobs.page.report_loader import as_report
from spark_jobs.page.view import view
from spark_jobs.report_check import schema_errors

TEMPLATES = Path(__file__).parent / "templates"


def breakable(name: str) -> Markup:
    """Return a long name that may be broken after dots and dashes."""
    return Markup("<wbr>").join(re.split(r"(?<=[.-])(?=.)", name))


def breakable_list(value: str) -> Markup:
    """Return a long value that may be broken after commas and between the parts of a path."""
    return Markup("<wbr>").join(re.split(r"(?<=,)(?=.)|(?<=[^:/]/)(?=[^/])", value))


FORMATS = {
    "integer": text.integer,
    "size": text.size,
    "ms": text.milliseconds,
    "seconds": text.seconds,
    "moment": text.moment,
    "clock": text.clock,
    "decimals": text.decimals,
    "breakable": breakable,
    "breakable_list": breakable_list,
}


def render(report: object) -> str:
    """Render the page of a loaded ``report.json``; never fails on the content of a report."""
    shown = view(as_report(report), schema_errors(report))
    return template().render(shown, say=summaries, plural=text.plural)


@functools.cache
def template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= FORMATS
    return environment.get_template("page.html.j2")
