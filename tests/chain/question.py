"""A request that is asked of `pharos route explain` and of the real chain alike, and what came of it."""

from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Question:
    """One request; what is left out is what a well-behaved client would send."""

    url: str
    by: str = "client"
    source: str | None = None
    """The address that it comes from; somebody's, if none is given."""
    namespace: str | None = None
    """Of the pod that sends it."""
    labels: tuple[tuple[str, str], ...] = ()
    """Of that pod."""
    target: str | None = None
    sni: str | None = None
    host: str | None = None
    forwarded_for: str | None = None
    method: str | None = None
    websocket: bool = False
    """Whether it asks for a WebSocket."""
    over: str = "http1"
    """What the sender speaks: `http1`, `http2`, or `grpc` for a call over HTTP/2. No explanation asks about that."""

    def document(self) -> dict[str, Any]:
        """As `pharos.route_explain` takes it."""
        asked = {"from" if name == "source" else name: value for name, value in asdict(self).items()}
        asked |= {"labels": dict(self.labels), "over": None}
        return {name: value for name, value in asked.items() if value is not None}

    @property
    def name(self) -> str:
        """The host name of the address."""
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        """The port of the address."""
        return urlsplit(self.url).port or 443

    @property
    def wire_target(self) -> str:
        """What stands in the request line."""
        if self.target is not None:
            return self.target
        rest = self.url.partition("://")[2]
        return "/" + rest.partition("/")[2]

    @property
    def wire_host(self) -> str:
        """What stands in the `Host` header."""
        usual = self.name if self.port == 443 else f"{self.name}:{self.port}"
        return usual if self.host is None else self.host

    @property
    def wire_sni(self) -> str:
        """What the TLS handshake names; empty for a handshake that names nothing."""
        return self.name if self.sni is None else self.sni


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    backend: str | None
    """NAMESPACE/SERVICE:PORT of the backend that answered; `None` if none was reached."""
    detail: str = ""
    """For people: the status, or how the connection ended."""
    upgraded: bool | None = None
    """Of a request for a WebSocket that reached a backend: whether one came of it."""
    evidence: dict[str, Any] = field(default_factory=dict, repr=False)
    """What the backend says of the request; see `bed.programs.pods`."""

    @property
    def path(self) -> str | None:
        """The target that the backend saw."""
        return self.evidence.get("path")

    @property
    def allowed(self) -> bool:
        """Whether a backend was reached."""
        return self.backend is not None
