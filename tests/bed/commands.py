"""Run a program and keep what it said."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Variables that would make curl, certbot or Ansible inside the bed trust or reach something outside it.
_OUTSIDE = (
    "AWS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NIX_SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "all_proxy",
    "ftp_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
)
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Result:
    """What a finished program left behind."""

    argv: tuple[str, ...]
    code: int
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        """Whether the program exited 0."""
        return self.code == 0

    def check(self) -> "Result":
        """Return the result itself, or raise `CommandError` when the program failed."""
        if not self.ok:
            raise CommandError(self)
        return self


class CommandError(Exception):
    """A program exited with another code than 0."""

    def __init__(self, result: Result) -> None:
        """Keep the whole result, so that a test can look at it."""
        self.result = result
        said = "\n".join(part for part in (result.stdout[-4000:], result.stderr[-4000:]) if part.strip())
        super().__init__(f"exit {result.code}: {' '.join(result.argv)[:500]}\n{said}")


def bed_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment without what points out of the bed, and with the system folders on PATH."""
    outside = {name.lower() for name in _OUTSIDE}
    environment = {name: value for name, value in os.environ.items() if name.lower() not in outside}
    environment["PATH"] = os.pathsep.join(part for part in (os.environ.get("PATH"), _SYSTEM_PATH) if part)
    environment.setdefault("LANG", "C.UTF-8")
    return environment | dict(extra or {})


def run(
    argv: Sequence[str | Path],
    *,
    stdin: str | None = None,
    check: bool = True,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 600,
) -> Result:
    """Run `argv` to its end; `timeout` is in seconds. Raises `CommandError` if `check` and the code is not 0."""
    words = [str(word) for word in argv]
    done = subprocess.run(
        words,
        input=stdin if stdin is not None else "",
        capture_output=True,
        text=True,
        errors="replace",
        env=dict(environment) if environment is not None else bed_environment(),
        cwd=cwd,
        timeout=timeout,
        check=False,
    )
    result = Result(tuple(words), done.returncode, done.stdout, done.stderr)
    return result.check() if check else result
