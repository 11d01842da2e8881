"""Documents of the controller: a task names paths, the core is sent names and texts."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible.module_utils.common.validation import check_type_list
from ansible_collections.pharos.platform.plugins.plugin_utils.collection import GENERATED
from ansible_collections.pharos.platform.plugins.plugin_utils.fault import Fault, TransportError, quoted

# From a path as the task writes it to the file that it means.
Find = Callable[[str], str]


def read(generated: dict[str, Any], arguments: dict[str, Any], find: Find, variables: dict[str, Any]) -> dict[str, Any]:
    """The documents among the arguments, read; all that are not there are said at once.

    `generated` names the options that are documents, each with the command that makes one, and those that are lists of such.
    """
    options: dict[str, str | None] = generated["documents"]
    documents: dict[str, Any] = {}
    faults: list[Fault] = []

    def one(option: str, path: str) -> dict[str, str]:
        try:
            return {"name": path, "text": _text(Path(find(path)))}
        except UnicodeDecodeError as error:
            faults.append(_not_text(option, path, error))
            return {"name": path, "text": ""}
        except (AnsibleError, OSError) as error:
            faults.append(missing(option, path, error))
            return {"name": path, "text": ""}

    def missing(option: str, path: str, error: Exception) -> Fault:
        return _missing(option, path, error, options[option], variables)

    for option in options:
        given = arguments.get(option)
        if given is None:
            continue
        if option in generated["document_lists"]:
            documents[option] = [one(option, str(path)) for path in check_type_list(given)]
        else:
            documents[option] = one(option, str(given))
    if faults:
        raise TransportError(*faults)
    return documents


def _text(path: Path) -> str:
    # Before it is opened: the opening of a pipe waits, and a device may never end.
    if _is_of_another_kind(path):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    most: int = GENERATED["most_bytes"]
    with path.open("rb") as file:
        content = file.read(most + 1)
    # One that is longer than the core reads is refused by it, whatever the bytes are.
    return content.decode("utf-8", "replace" if len(content) > most else "strict")


def _is_of_another_kind(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


def _is_too_long(path: Path) -> bool:
    try:
        path.lstat()
    except OSError as error:
        return error.errno == errno.ENAMETOOLONG
    return False


def _missing(option: str, path: str, error: Exception, made: str | None, variables: dict[str, Any]) -> Fault:
    """A document that cannot be read: which option names it, which variable of the role, and how one is made."""
    names = (f"edge_{option}", f"edge_{option.removesuffix('_file')}")
    variable = next((one for one in names if one in variables), None)
    said = f"`{option}` (the variable `{variable}`)" if variable else f"`{option}`"
    remedy = [f"`{made}` makes one"] if made else []
    here = Path.cwd() / path
    if _is_too_long(here):  # the methods of a path fail with it; a part of what was given may be a secret
        message = f"{said} is a text of {len(path)} characters, which is no path: no file has a name that long"
        remedy.append("give the path of the file; what is in it is not given here")
        return Fault("module/document-missing", message, "; ".join(remedy), "arguments")
    if here.is_dir():
        remedy.append("give the path of a file, not of its folder")
    elif _is_of_another_kind(here):
        remedy.append("give the path of a regular file; what a program writes is kept in one first")
    elif here.exists() and not Path(path).is_absolute():
        remedy.insert(0, f"write `{here}`: a relative path is looked up beside the playbook and its roles")
    elif here.exists():
        remedy.append("let the user who runs Ansible read it")
    elif Path(path).is_absolute():
        remedy.append("give the path of a file on the controller: there is none of this name")
    else:
        remedy.append("give the path of a file on the controller, best an absolute one")
    message = f"{said} is {path!r}, which cannot be read on the controller: {quoted(_reason(error))}"
    return Fault("module/document-missing", message, "; ".join(remedy), path)


def _reason(error: Exception) -> str:
    """Why a file cannot be read; the path stands before it."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _not_text(option: str, path: str, error: UnicodeDecodeError) -> Fault:
    """A document that is no text, as the core says it of one that it reads itself."""
    byte = error.object[error.start]
    message = f"`{option}` is {path!r}, which is not UTF-8: the byte at offset {error.start} is 0x{byte:02X}"
    return Fault("document/encoding", message, "give a YAML or JSON document, saved as UTF-8", path)
