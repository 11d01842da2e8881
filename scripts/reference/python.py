"""The Python package: what it exports, from its docstrings and its stub."""

import ast
import inspect

import pharos
from reference.page import REPOSITORY, page

ABOUT = (
    "What `import pharos` brings. The signatures are those of `_native.pyi`, which type checkers read; the examples are run by "
    "the tests, from the folder of the checkout. This page is written by `scripts/generate` from the docstrings."
)
STUB = REPOSITORY / "python" / "python" / "pharos" / "_native.pyi"


def python_page() -> str:
    """The page."""
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    parts = [_text(pharos.__doc__), "## Classes", _class("RejectedError", None)]
    parts += [_class(name, classes[name]) for name in sorted(classes)]
    parts += ["## Functions", *(_function(name, functions[name]) for name in pharos.__all__ if name in functions)]
    return page("Python", ABOUT, parts)


def _function(name: str, node: ast.FunctionDef) -> str:
    return f"### {name}\n\n```python\n{_signature(node)}\n```\n\n{_text(getattr(pharos, name).__doc__)}"


def _class(name: str, node: ast.ClassDef | None) -> str:
    own = getattr(pharos, name)
    head = f"### {name}\n\n{_text(own.__doc__)}"
    members = [member for member in (node.body if node else []) if isinstance(member, ast.FunctionDef)]
    rows = []
    for member in members:
        if member.name.startswith("_") and member.name != "__new__":
            continue
        is_property = any(isinstance(each, ast.Name) and each.id == "property" for each in member.decorator_list)
        returns = ast.unparse(member.returns) if member.returns else "None"
        shown = f"{member.name}: {returns}" if is_property else _signature(member)
        meaning = "" if member.name == "__new__" else " ".join(_text(getattr(own, member.name).__doc__).split())
        rows.append(f"- `{shown}`" + (f"<br>{meaning}" if meaning else ""))
    return "\n\n".join([head, "\n".join(rows)])


def _signature(node: ast.FunctionDef) -> str:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}){returns}"


def _text(docstring: str | None) -> str:
    """A docstring as Markdown: its examples are blocks."""
    paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(_example(text) if text.startswith(">>> ") else _prose(text) for text in paragraphs)


def _example(text: str) -> str:
    return f"```pycon\n{text}\n```"


def _prose(text: str) -> str:
    return text.replace("``", "`").replace(":class:", "")
