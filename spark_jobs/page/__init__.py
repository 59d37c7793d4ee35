"""The pages: one module and one template of the same name for each, with a function ``render``.

A page is one HTML file with everything in it. Text of a report is escaped. A page has no script, refers to nothing
outside itself, and forbids both to the browser. The sections of the smoke test's page are in
``templates/smoke``.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

import jinja2
from markupsafe import Markup

from spark_jobs.page import text

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


@functools.cache
def environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters |= FORMATS
    return made
