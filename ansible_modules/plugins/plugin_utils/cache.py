"""Running a program that is kept on the machine under the name of its content.

One command asks for everything: it picks the digest for the machine's own architecture and runs the program that lies under
it, or answers that it is not there. Only then the program is sent, once. It lies in a folder of the user who runs it, so
that nobody else can put another program in its place.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import Any, NamedTuple

from ansible_collections.pharos.platform.plugins.plugin_utils.channel import Channel, Reply
from ansible_collections.pharos.platform.plugins.plugin_utils.collection import PROGRAM, Program
from ansible_collections.pharos.platform.plugins.plugin_utils.fault import Fault, TransportError, quoted

# `uname -sm` -> the folder under files/bin
ARCHITECTURES = {
    "Linux x86_64": "x86_64",
    "Linux amd64": "x86_64",
    "Linux aarch64": "aarch64",
    "Linux arm64": "aarch64",
}
# A program that no task has used for this many days is removed when another one is stored.
UNUSED_DAYS = 30
# What the commands below answer begins a line with this word.
MARK = "@@pharos"
TERMINAL = re.compile(r"must have a tty|no tty present|requires? a tty", re.IGNORECASE)

# Where: $D is the cache, $B the program in it, $@ every folder on the way that somebody else could replace it through.
# From the home on if the cache lies there; from the root on if it was chosen: nobody vouches for where it lies.
_WHERE = r"""umask 077
U=$(id -u); M=$(uname -sm); D=@folder@; S=none
case $M in @cases@ esac
if [ -n "$D" ]; then T=; else
  T=$HOME; { [ -n "$T" ] && [ -O "$T" ]; } || T=$(getent passwd "$U" | cut -d: -f6)
  cd -P "$T" 2>/dev/null || { echo "@mark@ homeless $T"; exit 0; }
  T=${PWD%/}; D=$T/.cache/pharos/modules
fi
P=$D/$S; B=$P/@program@; set --
while [ "$P" != "$T" ]; do set -- "$P" "$@"; P=${P%/*}; done
set -- "${T:-/}" "$@"
unsafe() {
  W=$(find "$@" -prune \( -type l -o -perm -020 -o -perm -002 -o ! -user "$U" ! -user 0 \) -print)
  [ -z "$W" ] || { echo "@mark@ unsafe $W"; exit 0; }
}
"""

# The shell stays: a program that is killed by a signal would otherwise look like a lost connection.
_RUN = (
    _WHERE
    + r"""if [ -x "$B" ]; then
  unsafe "$@" "$B"; true >"${B%/*}/used"
  @environment@"$B" @source@; R=$?
  [ $R -lt 2 ] || echo "@mark@ ended $R"
else echo "@mark@ missing $M"; fi
"""
)

_STORE = (
    _WHERE
    + r"""fail() { rm -f "$N"; echo "@mark@ failed $1"; exit 0; }
P=${B%/*}; N=
unsafe "$@" 2>/dev/null # what is there already
mkdir -p "$P" || fail "make the folder $P"
unsafe "$@"
N=$(mktemp "$P/.new.XXXXXX") && cat @source@ >"$N" || fail "write to $P"
[ "$(sha256sum <"$N" | cut -c1-64)" = "$S" ] || fail "verify the digest of what arrived"
chmod 0700 "$N" && { sync "$N" || sync; } && mv -f "$N" "$B" && { sync "$P" || sync; } || fail "move it to $B"
true >"$P/used"
find "$D" -type f -name '.new.*' -mtime +1 -exec rm -f {} +
find "$D" -type f -name used -mtime +@days@ | while read -r O; do rm -rf "${O%/used}"; done
[ -x "$B" ] && echo "@mark@ stored" || echo "@mark@ noexec $P"
"""
)

# In the background, as Ansible's own wrapper does it: the job's file says that it has started, and in the end what it answered.
# The request stays in the shell, for a file of it would have to be removed. Whoever hangs up does not end it.
_START = (
    _WHERE
    + r"""[ -x "$B" ] || { echo "@mark@ missing $M"; exit 0; }
unsafe "$@" "$B"
[ "$(sha256sum <"$B" | cut -c1-64)" = "$S" ] || { echo "@mark@ damaged"; exit 0; }
true >"${B%/*}/used"
A=@jobs@; J=$A/@job@; R=$(cat @source@)
{ mkdir -p "$A" && echo '{"started": 1, "finished": 0, "ansible_job_id": "@job@"}' >"$J"; } || {
  echo "@mark@ failed write to $A"; exit 0
}
L=; ! command -v timeout >/dev/null || L='timeout @limit@'
(
  trap '' HUP
  O=$(printf %s "$R" | @environment@$L "$B" -); R=$?
  case $R in
    [01]) ;;
    124) O=@late@ ;;
    1[3-5]?|129) O=$(printf @killed@ "$((R - 128))" "$((R - 128))") ;;
    *) O=$(printf @silent@ "$R" "$R") ;;
  esac
  printf '%s\n' "$O" >"$J.new"; mv -f "$J.new" "$J"
) </dev/null >/dev/null 2>&1 &
echo "@mark@ started $J"
"""
)

_INTACT = (
    _WHERE
    + r"""[ "$(sha256sum <"$B" | cut -c1-64)" = "$S" ] && echo "@mark@ intact" || echo "@mark@ damaged"
"""
)


class Job(NamedTuple):
    """A task that is not waited for."""

    name: str
    """Its file below `folder`."""
    folder: str
    """Ansible's `async_dir`."""
    seconds: int
    """How long it may take."""
    host: str
    """The host that it is about, as its faults name it."""


class Cache:
    """The programs of this collection on one machine."""

    def __init__(self, channel: Channel, programs: dict[str, Program], folder: str | None = None) -> None:
        if folder is not None and not re.fullmatch(r"(/[^/\0\n]+)+", folder):
            message = f"pharos_module_cache is {folder!r}, which is no absolute path in normal form"
            raise TransportError(Fault("module/cache-path", message, "write an absolute path without a slash at its end"))
        self._channel = channel
        self._programs = programs
        self._folder = folder

    def ask(self, request: bytes) -> dict[str, Any]:
        """The program's answer; it is stored first where it is not there or does not run."""
        reply = self._run(request)
        kind, detail = _word(reply)
        if kind == "missing":
            self._store(detail)
            reply = self._run(request)
        elif _answer(reply) is None and self._is_damaged(reply):
            self._store(None)
            reply = self._run(request)
        answer = _answer(reply)
        if answer is None:
            raise TransportError(_why(reply))
        return answer

    def start(self, request: bytes, job: Job) -> dict[str, Any]:
        """Has the program run in the background, and answers as Ansible's wrapper would: where `async_status` finds the rest."""
        values = {
            "job": job.name,
            "jobs": shlex.quote(job.folder),
            "limit": str(job.seconds),
            "late": shlex.quote(json.dumps(TransportError(_late(job.seconds)).answer(job.host))),
            "killed": _format(_killed(_GAP), job.host),
            "silent": _format(_silent(_GAP), job.host),
        }
        reply = self._run(request, _START, **values)
        kind, detail = _word(reply)
        if kind in ("missing", "damaged"):
            self._store(detail if kind == "missing" else None)
            reply = self._run(request, _START, **values)
            kind, detail = _word(reply)
        if kind != "started":
            raise TransportError(_why(reply))
        return {"started": 1, "finished": 0, "changed": True, "ansible_job_id": job.name, "results_file": detail}

    def _run(self, request: bytes, script: str = _RUN, **values: str) -> Reply:
        if self._channel.has_input:
            reply = self._channel.run(self._script(script, source="-", **values), request)
            if _answer(reply) is not None or not TERMINAL.search(reply.errors + reply.output):
                return reply
            self._channel.without_input()
        path = self._channel.put("request.json", request)
        return self._channel.run(self._script(script, source=shlex.quote(path), **values))

    def _is_damaged(self, reply: Reply) -> bool:
        if _word(reply)[0] not in ("", "ended"):
            return False
        return _word(self._channel.run(self._script(_INTACT)))[0] == "damaged"

    def _store(self, machine: str | None) -> None:
        if machine is None:
            machine = self._channel.run("uname -sm").output.strip()
        program = self._programs.get(ARCHITECTURES.get(machine, ""))
        if program is None:
            has = ", ".join(sorted(self._programs))
            message = f"there is no program for {machine!r}; this collection has: {has}"
            help_ = "take a collection that has one (`make modules` builds x86_64 and aarch64), or use a host of one that it has"
            raise TransportError(Fault("module/no-program", message, help_))
        if self._channel.has_input:
            reply = self._channel.run(self._script(_STORE, source="-"), program.read())
        else:
            source = self._channel.put(PROGRAM, program.read())
            reply = self._channel.run(self._script(_STORE, source=shlex.quote(source)))
        if _word(reply)[0] != "stored":
            raise TransportError(_why(reply))

    def _script(self, text: str, **values: str) -> str:
        cases = (
            f"{shlex.quote(machine)}) S={self._programs[architecture].sha256};;"
            for machine, architecture in ARCHITECTURES.items()
            if architecture in self._programs
        )
        values |= {
            "cases": " ".join(cases),
            "days": str(UNUSED_DAYS),
            "environment": self._channel.environment(),
            "folder": shlex.quote(self._folder or ""),
            "mark": MARK,
            "program": PROGRAM,
        }
        # no newline at the end: Ansible appends `&& ...` to a command
        return re.sub(r"(?<!@)@([a-z]+)@", lambda match: values[match[1]], text).strip()


def _answer(reply: Reply) -> dict[str, Any] | None:
    """The program's one line of JSON, whatever a login shell prints around it."""
    for line in reversed(reply.output.splitlines()):
        if line.startswith("{"):
            try:
                answer = json.loads(line)
            except ValueError:
                continue
            return answer if isinstance(answer, dict) else None
    return None


def _word(reply: Reply) -> tuple[str, str]:
    """The word after the mark of a command's own answer, and what follows it."""
    lines = [line.strip() for line in reply.output.splitlines() if line.startswith(MARK)]
    words = (lines[-1] if lines else "")[len(MARK) :].strip().split(" ", 1)
    return words[0], " ".join(words[1:])


def _why(reply: Reply) -> Fault:
    """Why there is no answer."""
    word, detail = _word(reply)
    said = "\n".join(text for text in (_without_marks(reply.output), reply.errors.strip()) if text)
    choose = "set `pharos_module_cache` to a folder that only this user can change"
    match word:
        case "homeless":
            message = f"the home of the user who runs the task, {detail or 'none'}, cannot be entered"
            return Fault("module/no-home", message, choose)
        case "unsafe":
            message = (
                f"{detail} is a link, belongs to somebody else or can be changed by others, so a program kept there "
                "cannot be trusted"
            )
            return Fault("module/unsafe-cache", message, f"mend its owner and mode (`chmod go-w`), or {choose}")
        case "noexec":
            message = f"{detail} lies on a file system that runs no programs (`noexec`)"
            return Fault("module/noexec-cache", message, f"{choose}, on another one")
        case "failed":
            message = f"cannot {detail}: {quoted(said)}"
            full = "no space left" in said.lower()
            return Fault("module/cache-failed", message, f"free some space, or {choose}" if full else f"mend that, or {choose}")
        case "ended" if detail.isdigit() and 128 < int(detail) < 192:
            return _killed(str(int(detail) - 128), said)
        case _:
            return _silent(detail or str(reply.code), said)


def _killed(signal: str, said: str = "") -> Fault:
    message = f"the program was killed by signal {signal}" + (f": {quoted(said)}" if said else "")
    return Fault("module/killed", message, "look into the host's journal for who ended it (memory?), then try again")


def _silent(code: str, said: str = "") -> Fault:
    message = f"the program gave no answer (code {code})" + (f": {quoted(said)}" if said else "")
    return Fault("module/no-answer", message, "look at what the host says instead, with `-vvv`, then run this again")


def _late(seconds: int) -> Fault:
    message = f"the program was ended after the {seconds} seconds of `async`"
    return Fault("module/killed", message, "give it a longer `async`, then run this again: what was begun is completed first")


# Stands for a number that only the shell knows.
_GAP = "@@@"


def _format(fault: Fault, host: str) -> str:
    """A failed task's answer as a format of the shell's `printf`: the number stands in its text and in its diagnostic."""
    answer = json.dumps(TransportError(fault).answer(host))
    return shlex.quote(answer.replace("\\", "\\\\").replace("%", "%%").replace(_GAP, "%s"))


def _without_marks(output: str) -> str:
    return "\n".join(line for line in output.splitlines() if not line.startswith(MARK)).strip()
