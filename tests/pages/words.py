"""Whether a command that cannot be run here could be: its program, subcommand, options and files exist."""

import importlib.util
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
from ansible.cli.playbook import PlaybookCLI

from pages.page import REPOSITORY
from pharos.cli import pharos_command
from platform_deploy.probe import probe

# Programs that are not this project's, whose words are not judged.
_OTHERS = {"certbot", "curl", "git", "helm", "kubectl", "nginx", "rm", "ssh", "sudo", "systemctl"}
_OTHERS |= {"ansible-galaxy", "pip", "python3", "sha256sum"}
# What a page may have done to a reader's files, and a test to a copy.
HARMLESS = {"cd", "cp", "export", "head", "install", "mkdir", "pharos", "sed", "source", "umask"}
_OPERATORS = {"|", "&&", "||", ";", "(", ")"}
_REDIRECTIONS = {">", ">>", "<"}


def faults(line: str, folder: Path = REPOSITORY) -> Iterator[str]:
    """What is wrong with a command line, in words."""
    for words in _simple_commands(line):
        try:
            yield from _of_command(words, folder)
        except click.UsageError as error:
            yield f"`{shlex.join(words)}`: {error.format_message()}"


def programs(line: str) -> set[str]:
    """The names of the programs that a command line runs."""
    return {Path(words[0]).name for words in _simple_commands(line)}


def _simple_commands(line: str) -> Iterator[list[str]]:
    """The commands that a line of the shell is made of, without redirections and assignments."""
    lexer = shlex.shlex(line.replace("\\\n", " "), posix=True, punctuation_chars="|&;()<>")
    lexer.whitespace_split = True
    words: list[str] = []
    skip = False
    for token in [*lexer, ";"]:
        if token in _OPERATORS:
            if words:
                yield words
            words = []
        elif token in _REDIRECTIONS:
            skip = True
        elif skip:
            skip = False
        elif words or not re.fullmatch(r"[A-Z_]+=.*", token):
            words.append(token)


def _of_command(words: list[str], folder: Path) -> Iterator[str]:
    program, arguments = Path(words[0]).name, words[1:]
    if program == "pharos":
        _parse(pharos_command, arguments)
    elif program == "make":
        yield from _of_make(arguments)
    elif program == "ansible-playbook":
        yield from _of_playbook(arguments, folder)
    elif program in ("python", "uv"):
        yield from _of_python(arguments, folder)
    elif program not in _OTHERS | HARMLESS:
        yield f"`{program}` is no program that the documentation may name"


def _parse(command: click.Command, arguments: list[str]) -> None:
    """Click's own parser, without looking at the values: they stand for the reader's own."""
    context = click.Context(command, info_name=command.name)
    while isinstance(command, click.Group):
        if arguments[:1] in ([], ["..."], ["--help"], ["--version"]):
            return
        _, found, arguments = command.resolve_command(context, arguments)
        if found is None:
            raise click.UsageError("no such command")
        command, context = found, click.Context(found, parent=context)
    _, rest, _ = command.make_parser(context).parse_args(list(arguments))
    if rest:
        raise click.UsageError(f"unexpected {rest}")


@cache
def targets() -> frozenset[str]:
    """The targets of the Makefile."""
    return frozenset(re.findall(r"^([a-z][a-z-]*):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))


def _of_make(arguments: list[str]) -> Iterator[str]:
    wanted = [word for word in arguments if not re.match("[A-Z_]+=", word)]
    yield from (f"make has no target `{word}`" for word in wanted if word not in targets())


def _of_playbook(arguments: list[str], folder: Path) -> Iterator[str]:
    cli = PlaybookCLI(["ansible-playbook", *arguments])
    cli.init_parser()
    try:
        options = cli.parser.parse_args(arguments)
    except SystemExit:
        yield f"ansible-playbook does not take {arguments}"
        return
    for name in options.args:
        # in the installed collection it has a name instead of a path
        found = re.fullmatch(r"pharos\.platform\.(\w+)", name)
        path = REPOSITORY / "playbooks" / f"{found[1].replace('_', '-')}.yml" if found else folder / name
        if not path.is_file():
            yield f"there is no playbook {name}"


def _of_python(arguments: list[str], folder: Path) -> Iterator[str]:
    words = arguments[arguments.index("python") + 1 :] if "python" in arguments else arguments
    if words[0] != "-m":
        if not (folder / words[0]).is_file():
            yield f"there is no script {words[0]}"
    elif not _is_module(words[1]):
        yield f"there is no module {words[1]}"
    elif words[1].endswith(".probe"):
        _parse(probe, words[2:])


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
