"""Writes the generated pages of docs/reference that people read about roles, documents, make targets and the command.

PYTHONPATH=scripts python -m reference            writes them
PYTHONPATH=scripts python -m reference --check    exits with 1 and names those that differ

The list of codes and the modules' page come from the core and the module program (scripts/generate).
"""

import sys

from reference.command import command_page
from reference.documents import documents_page
from reference.makefile import make_page
from reference.page import REPOSITORY
from reference.python import python_page
from reference.roles import roles_page

PAGES = {
    "cli.md": command_page,
    "documents.md": documents_page,
    "make.md": make_page,
    "python.md": python_page,
    "roles.md": roles_page,
}


def main(check: bool) -> int:
    """Write or compare every page."""
    differing = []
    for name, page in PAGES.items():
        path, text = REPOSITORY / "docs" / "reference" / name, page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            differing.append(name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if check and differing:
        print(f"docs/reference: {', '.join(differing)} differ: run scripts/generate", file=sys.stderr)
    return int(check and bool(differing))


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
