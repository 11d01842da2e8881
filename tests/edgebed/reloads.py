"""Reloads of nginx that fail, or take as long as a test likes."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from bed import waiting
from bed.hosts import Host


@contextmanager
def reload_is(host: Host, command: str) -> Iterator[None]:
    """nginx's unit reloads by another command for a while."""
    folder = "/etc/systemd/system/nginx.service.d"
    host.put(f"[Service]\nExecReload=\nExecReload={command}\n", f"{folder}/reload.conf")
    host.run("systemctl daemon-reload")
    yield
    host.run(f"rm -r {folder} && systemctl daemon-reload")


def wait_for_reload(host: Host, running: "subprocess.Popen[str]") -> None:
    """Wait until a run of the playbook has nginx reloaded, with a command that takes long."""

    def reloading() -> bool:
        if running.poll() is not None:
            raise RuntimeError(f"the playbook ended:\n{running.communicate()[0]}")
        return host.run("systemctl show nginx --property=ControlPID --value").stdout.strip() != "0"

    waiting.until(reloading, "the reload", seconds=120)
