"""The targets of the Makefile, from the words beside them."""

import re

from reference.page import REPOSITORY, page, table

ABOUT = "What `make help` says. Targets bring along what they need. This page is written by `scripts/generate`."


def make_page() -> str:
    """The page."""
    targets = re.findall(r"^([a-z][a-z-]*):.*?## (.*)$", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    return page("Make targets", ABOUT, [table(("target", "what it does"), [(f"`make {name}`", what) for name, what in targets])])
