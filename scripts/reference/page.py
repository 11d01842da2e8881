"""How the pages are written: paragraphs and tables."""

import re
from collections.abc import Iterable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def cell(text: str) -> str:
    """A text as it stands in a table: one line, no column of its own."""
    return " ".join(text.split()).replace("|", "\\|")


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table with a row for each of `rows`, or nothing."""
    lines = [f"| {' | '.join(cell(each) for each in row)} |" for row in (head, *rows)]
    lines.insert(1, "|---" * len(head) + "|")
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def page(title: str, about: str, parts: Iterable[str]) -> str:
    """A page with its parts, an empty line between them."""
    return "\n\n".join(part.strip() for part in (f"# {title}", about, *parts) if part.strip()) + "\n"


def markdown(text: str) -> str:
    """Ansible's markup as Markdown."""
    return re.sub(r"[CVO]\(([^)]*)\)", r"`\1`", text)
