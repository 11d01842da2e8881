"""A host on which the module runs."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bed.hosts import Bed, Host
from bed.pki import Leaf
from edge import binary
from edge.site import Site, files

Listener = Literal["http", "https"]
FILES = {listener: f"/etc/nginx/conf.d/pharos-platform-{listener}.conf" for listener in ("http", "https")}
STATE = "/var/lib/pharos-edge/transactions"
WELCOME = "/etc/nginx/sites-enabled/default"
_PROGRAM = "/usr/local/lib/pharos-modules"
VERSION = "0.1.0"


@dataclass(frozen=True)
class Answer:
    """The module's answer."""

    said: dict[str, Any]

    @property
    def changed(self) -> bool:
        """Whether something was, or would be, changed."""
        changed: bool = self.said["changed"]
        return changed

    @property
    def failed(self) -> bool:
        """Whether the task failed."""
        return bool(self.said.get("failed"))

    @property
    def steps(self) -> list[str]:
        """The steps, by their words."""
        steps: list[str] = self.said["steps"]
        return steps

    @property
    def codes(self) -> list[str]:
        """The codes of the errors."""
        return [each["code"] for each in self.said["diagnostics"] if each["severity"] == "error"]

    @property
    def notes(self) -> list[str]:
        """The codes of everything else that was found."""
        return [each["code"] for each in self.said["diagnostics"] if each["severity"] != "error"]

    @property
    def text(self) -> str:
        """What is wrong, for people."""
        return str(self.said.get("msg", ""))

    def ok(self) -> "Answer":
        """The answer, which must not be a failure."""
        assert not self.failed, self.text
        return self


class Machine:
    """An edge host with a site's certificates, and the module beside them."""

    def __init__(self, bed: Bed, host: Host, site: Site, *features: str) -> None:
        """Put certificates, trust and the binary on a fresh host."""
        self.bed = bed
        self.host = host
        self.site = site
        self._serve = binary.build(*features)
        self.prepare()

    def prepare(self) -> None:
        """Put them there, also after the host was reset."""
        leader = self.host.leader()
        binary.install(self._serve, Path(f"/proc/{leader}/root"), _PROGRAM)
        self.host.trust(self.site.authority.pem)
        for name in self.site.hosts:
            self.certificate(name)

    def certificate(self, name: str, leaf: Leaf | None = None) -> Leaf:
        """Give a host name a new certificate, as its owner would."""
        leaf = leaf or self.site.leaf(name)
        chain, key = files(name)
        self.host.put(leaf.fullchain_pem, chain)
        self.host.put(leaf.key_pem, key, mode=0o600)
        return leaf

    def module(
        self,
        listener: Listener,
        *,
        check: bool = False,
        instant: float | None = None,
        kill_after: int | None = None,
        mode: Literal["existing", "certbot"] = "certbot",
        **arguments: object,
    ) -> Answer | None:
        """Run the module; `None` if it was killed before it could answer."""
        if mode == "existing":
            pairs = [(name, *files(name)) for name in self.site.hosts]
            listed = [{"host": name, "certificate": chain, "key": key} for name, chain, key in pairs]
            arguments.setdefault("certificate_files", listed)
        request = {
            "module": "edge_config",
            "version": VERSION,
            "instant": int(time.time() if instant is None else instant),
            "_ansible_check_mode": check,
            "_ansible_diff": True,
            "arguments": {
                "listener": listener,
                "environment_file": {"name": "environment.yaml", "text": self.site.environment()},
                "catalogue_file": {"name": "catalogue.yaml", "text": self.site.catalogue()},
                "certificate_mode": mode,
                **arguments,
            },
        }
        kill = "" if kill_after is None else f"PHAROS_KILL_AFTER={kill_after} "
        result = self.host.run(f"umask 077; {kill}{_PROGRAM} -", stdin=json.dumps(request), check=False)
        assert result.stderr == "" or "Killed" in result.stderr, result.stderr
        return Answer(json.loads(result.stdout)) if result.stdout else None

    def run(self, listener: Listener, **arguments: Any) -> Answer:
        """Run the module to its end."""
        answer = self.module(listener, **arguments)
        assert answer is not None
        return answer

    # What is there

    def exists(self, path: str) -> bool:
        """Whether something is at a path, a link that leads nowhere included."""
        return self.host.run(f"test -e {path} -o -L {path}", check=False).ok

    def marker(self, listener: Listener) -> bool:
        """Whether a transaction is unfinished."""
        return self.exists(f"{STATE}/{listener}.json")

    def tree(self) -> str:
        """A fingerprint of everything that must stay as it is when nothing is changed."""
        listed = "find /etc/nginx /run/nginx.pid -printf '%y %m %p %l\\n' 2>/dev/null | sort"
        markers = f"ls {STATE}/http.json {STATE}/https.json 2>/dev/null"
        return self.host.run(f"{listed}; {markers}; find /etc/nginx -type f -exec sha256sum {{}} + | sort").stdout

    def logs(self) -> str:
        """The log files that there are."""
        return self.host.run("find /var/log/nginx | sort").stdout

    def workers(self) -> set[str]:
        """The process ids of nginx's workers."""
        listed = self.host.run("pgrep -f '^nginx: worker process$'", check=False).stdout
        return set(listed.split())

    def assert_sound(self) -> None:
        """nginx's own test passes and its service restarts."""
        self.host.run("nginx -t")
        self.host.run("systemctl reset-failed nginx; systemctl restart nginx")

    # What a client sees

    def status(self, url: str, *, v6: bool = False, more: tuple[str, ...] = ()) -> str:
        """The status of an answer to a client on the control side; `000` for none."""
        name, port = url.split("/")[2], "443" if url.startswith("https") else "80"
        address = f"[{self.host.v6}]" if v6 else self.host.v4
        resolve = ["--resolve", f"{name}:{port}:{address}"]
        told = self.bed.curl("-k", "-m", "10", "-o", "/dev/null", "-w", "%{http_code}", *resolve, *more, url, check=False)
        return told.stdout

    def serial(self, name: str) -> int:
        """The serial number of the certificate that is served for a name."""
        command = f"openssl s_client -connect 127.0.0.1:443 -servername {name} </dev/null 2>/dev/null"
        said = self.host.run(f"{command} | openssl x509 -noout -serial").stdout
        return int(said.removeprefix("serial=").strip(), 16)
