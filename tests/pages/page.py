"""A page of the documentation, and the commands in its fenced `console` blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PLACES = (
    "README.md",
    "CHANGELOG.md",
    "docs/**/*.md",
    "roles/*/README.md",
    "ansible_modules/README.md",
    "examples/**/README.md",
)

_FENCE = re.compile(
    r"(?P<mark><!-- needs (?P<needs>[^\n]+?) -->\n\s*)?^(?P<indent> *)```(?P<language>[a-z]*)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Command:
    """A line that is typed, and what the page shows that it prints."""

    line: str
    shown: str


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    line: int
    language: str
    text: str
    """Without the indentation of the list that it is in."""
    needs: str | None
    """What it needs that a test does not have: `<!-- needs ... -->` before it."""

    def commands(self) -> Iterator[Command]:
        """The commands in order, after the prompt that the block begins with; a line that ends with a backslash goes on."""
        prompt = re.escape(self.text[:2])
        if prompt not in (r"\$\ ", r"\#\ "):
            raise ValueError(f"line {self.line}: a console block begins with a command: {self.text[:40]!r}")
        for part in re.split(rf"^{prompt}", self.text, flags=re.MULTILINE)[1:]:
            found = re.match(r"(?:.*\\\n)*.*\n", part)
            line = found[0] if found else part
            yield Command(line.rstrip("\n"), part[len(line) :])


@dataclass(frozen=True)
class Page:
    """A file of the documentation."""

    path: Path

    @property
    def name(self) -> str:
        """Its path in the repository."""
        return str(self.path.relative_to(REPOSITORY))

    @property
    def text(self) -> str:
        """What it says."""
        return self.path.read_text(encoding="utf-8")

    def blocks(self) -> Iterator[Block]:
        """Its fenced blocks."""
        text = self.text
        for found in _FENCE.finditer(text):
            lines = found["text"].splitlines(keepends=True)
            dedented = "".join(line.removeprefix(found["indent"]) for line in lines)
            yield Block(text[: found.start("text")].count("\n"), found["language"], dedented, found["needs"])

    def consoles(self) -> list[Block]:
        """Its blocks of commands."""
        return [block for block in self.blocks() if block.language == "console"]

    def prose(self) -> str:
        """The page without its fenced blocks."""
        return _FENCE.sub("", self.text)


def pages() -> list[Page]:
    """Every page, in order."""
    found = {path for place in PLACES for path in REPOSITORY.glob(place) if "docs/book/" not in str(path)}
    return [Page(path) for path in sorted(found)]
