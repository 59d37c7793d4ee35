"""A page taken apart: elements with their attributes, and what must hold for every page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

INLINE = {"a", "abbr", "code", "span", "strong", "wbr"}
VOID = {"meta", "link", "br", "wbr", "img", "input", "hr"}
OUTSIDE = re.compile(r"https?://|\bsrc=|url\(|@import|<script|<iframe|<object|<embed", re.IGNORECASE)
HREFS = {"#not-checked", "data:,"}


@dataclass
class Element:
    name: str
    attributes: dict[str, str]
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, name: str) -> list[Element]:
        """Every descendant of that name, in the page's order."""
        return [hit for child in self.children for hit in ([child] if child.name == name else []) + child.all(name)]

    def words(self) -> str:
        return " ".join(re.sub(r"\s+", " ", self.text).split())


class Tree(HTMLParser):
    """Builds elements and insists that every tag is closed by its own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("root", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(made)
        self.part(tag)
        if tag not in VOID and not self.get_starttag_text().endswith("/>"):  # type: ignore[union-attr]
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.part(tag)
        self.open.pop()

    def part(self, tag: str) -> None:
        """Separate the words of different blocks."""
        if tag not in INLINE:
            self.handle_data(" ")

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data


def parse(page: str) -> Element:
    tree = Tree()
    tree.feed(page)
    tree.close()
    assert len(tree.open) == 1, f"never closed: {[element.name for element in tree.open[1:]]}"
    return tree.root


def everything(root: Element) -> list[Element]:
    return [hit for child in root.children for hit in [child, *everything(child)]]
