"""Every command of the documentation is run here, or says what it needs and is one that exists; every link leads somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pages import scratch, words
from pages.page import REPOSITORY, Block, Page, pages

PAGES = pages()
RUN = [page for page in PAGES if any(block.needs is None for block in page.consoles())]


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_what_a_page_shows_is_what_happens(page: Page, tmp_path: Path) -> None:
    """Word for word, in a copy of a clone's documents; a command whose shown output is a refusal ends with 1."""
    commands = [command for block in page.consoles() if block.needs is None for command in block.commands()]
    for command in commands:
        surplus = words.programs(command.line) - words.HARMLESS
        assert not surplus, (
            f"{page.name}: {command.line}: a test does not run {surplus}: say `<!-- needs ... -->` before the block"
        )
    site = scratch.prepare(tmp_path)
    folder = page.path.parent.relative_to(REPOSITORY)
    come = scratch.run(commands, site / folder if folder.parts[:1] == ("examples",) else site, tmp_path / "home")
    assert len(come) == len(commands), f"{page.name}: the shell ended after {commands[len(come) - 1].line}"
    for command, printed in zip(commands, come, strict=True):
        if os.environ.get("PHAROS_UPDATE") and command.shown and "...\n" not in command.shown:
            page.path.write_text(page.text.replace(command.shown, printed.text, 1), encoding="utf-8")
            continue
        refused = re.search(r"^error\[", command.shown, re.MULTILINE) is not None
        assert printed.status == int(refused), f"{page.name}: {command.line}\n{printed.text}"
        assert not command.shown or scratch.as_shown(command.shown, printed.text), f"{page.name}: {command.line}\n{printed.text}"


def test_what_cannot_be_run_here_exists() -> None:
    found = []
    for page in PAGES:
        for block in page.consoles():
            if block.needs is not None:
                found += [f"{page.name}:{block.line}: {fault}" for fault in _faults(page, block)]
        for line in re.findall(r"`((?:pharos|make|python -m) [^`]+)`", page.prose()):
            found += [f"{page.name}: {fault}" for fault in words.faults(line.replace("\n", " "))]
    assert found == []


def _faults(page: Page, block: Block) -> list[str]:
    """Examples are used in their own folder."""
    folder = page.path.parent if page.name.startswith("examples/") else REPOSITORY
    return [fault for command in block.commands() for fault in words.faults(command.line, folder)]


@pytest.mark.parametrize(
    "line",
    [
        "pharos chekc",
        "pharos check --enviroment x",
        "pharos routes a b",
        "make demos",
        "ansible-playbook -i hosts.yml playbooks/edge-distribute.yml",
        "ansible-playbook pharos.platform.edge_distribute",
        "ansible-playbook --no-such-option playbooks/edge.yml",
        "python -m platform_deploy.prob --env x",
        "python -m platform_deploy.probe --environment x",
        "true && frobnicate",
    ],
)
def test_a_command_that_does_not_exist_is_found(line: str) -> None:
    assert list(words.faults(line))


def test_every_command_is_in_a_block_that_is_looked_at() -> None:
    """Of a block without a language, or of a shell's, nobody would know whether it runs."""
    other = [
        f"{page.name}:{block.line}" for page in PAGES for block in page.blocks() if block.language in ("", "sh", "bash", "shell")
    ]
    assert other == []


def test_every_link_leads_somewhere() -> None:
    dead = []
    for page in PAGES:
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", page.prose()):
            path = (page.path.parent / target).resolve() if target else page.path
            # The book has no other file.
            left = page.name.startswith("docs/") and not path.is_relative_to(REPOSITORY / "docs")
            if left or not path.exists() or (anchor and anchor not in _anchors(path)):
                dead.append(f"{page.name}: {target}#{anchor}")
    assert dead == []


def _anchors(path: Path) -> set[str]:
    """The anchors that mdBook and GitHub give the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_pages_may_be_followed_one_after_the_other() -> None:
    """No page copies to a folder that another one has made: `cp -r` would copy into it."""
    copied = [
        (command.line.split()[-1], page.name)
        for page in PAGES
        for block in page.consoles()
        for command in block.commands()
        if command.line.startswith("cp -r ")
    ]
    folders = [folder for folder, _ in copied]
    assert len(folders) >= 2 and len(folders) == len(set(folders)), copied


def test_the_summary_has_every_page_once() -> None:
    summary = re.findall(r"\]\(([^)]+)\)", (REPOSITORY / "docs/SUMMARY.md").read_text(encoding="utf-8"))
    written = [str(page.path.relative_to(REPOSITORY / "docs")) for page in PAGES if page.name.startswith("docs/")]
    assert sorted(summary) == sorted(set(written) - {"SUMMARY.md"})


def test_the_readmes_example_is_the_committed_one() -> None:
    (shown,) = [block.text for block in Page(REPOSITORY / "README.md").blocks() if block.language == "yaml"]
    assert shown == (REPOSITORY / "docs/examples/slip.yaml").read_text(encoding="utf-8")


def test_the_generated_pages_are_those_of_their_sources() -> None:
    words = ["env", f"PYTHONPATH={REPOSITORY}/scripts", sys.executable, "-m", "reference", "--check"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
