"""The Python package as a script meets it: its examples, its threads, its types, and every interpreter at hand."""

import doctest
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest

import pharos
from bed.pki import Authority
from play.collection import REPOSITORY

CATALOGUE, POLICY = (
    (name, (REPOSITORY / name).read_bytes()) for name in ("catalogue/services.yaml", "environments/example/policy.yaml")
)


def _documented() -> Iterator[tuple[str, str]]:
    """Everything that the package exports and its members, each with its docstring."""
    for name in pharos.__all__:
        thing = getattr(pharos, name)
        yield name, thing.__doc__ or ""
        if isinstance(thing, type):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or hasattr(value, "__get__")):
                    yield f"{name}.{member}", value.__doc__ or ""


def test_everything_has_a_docstring() -> None:
    constants = {"MAX_DOCUMENT_BYTES", "__version__"}
    assert not [name for name, text in _documented() if not text.strip() and name not in constants]


def test_the_examples_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for name, text in [("pharos", pharos.__doc__ or ""), *_documented()]:
        runner.run(parser.get_doctest(text, {"pharos": pharos}, name, None, None))
    result = runner.summarize()
    assert result.attempted > 10
    assert result.failed == 0


LEAF = Authority.create("root").issue("a.example.org").fullchain_pem.encode()
HOSTS = b"all:\n  hosts:\n" + b"".join(b"    n%d: {}\n" % number for number in range(500))
CALLS: dict[str, Callable[[], object]] = {
    "check": lambda: pharos.check([CATALOGUE, POLICY]),
    "routes": lambda: pharos.routes(CATALOGUE, POLICY),
    "edge_environment": lambda: pharos.edge_environment(CATALOGUE, POLICY),
    "edge_render": lambda: pharos.edge_render(CATALOGUE, POLICY, nginx="1.26.3"),
    "edge_inspect": lambda: pharos.edge_inspect([("nginx.conf", b"http { server { listen 443 ssl; } }")]),
    "gateway_render": lambda: pharos.gateway_render(CATALOGUE, POLICY),
    "gateway_yaml": lambda: pharos.gateway_yaml(CATALOGUE, POLICY),
    "gateway_chart_schema": lambda: pharos.gateway_chart_schema(CATALOGUE, ("values.schema.json", b"{}")),
    "gateway_values": lambda: pharos.gateway_values(CATALOGUE, POLICY, []),
    "RouteExplainer": lambda: pharos.RouteExplainer(CATALOGUE, POLICY),
    "certificate_describe": lambda: pharos.certificate_describe(LEAF),
    "inventory_sources": lambda: pharos.inventory_sources([("hosts.yml", HOSTS)]),
    "run_module": lambda: pharos._native.run_module("{}"),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_threads_run_while_the_core_decides(name: str) -> None:
    # No thread is asked to give way: the other one advances only where the call itself lets go.
    steps, done = 0, threading.Event()

    def step() -> None:
        nonlocal steps
        while not done.is_set():
            steps += 1
            time.sleep(0)

    other = threading.Thread(target=step)
    interval = sys.getswitchinterval()
    other.start()
    sys.setswitchinterval(1000)
    try:
        advanced = False
        for _ in range(20_000):
            before = steps
            CALLS[name]()
            advanced = advanced or steps > before
            if advanced:
                break
    finally:
        sys.setswitchinterval(interval)
        done.set()
        other.join()
    assert advanced


def test_the_package_is_typed() -> None:
    assert files("pharos").joinpath("py.typed").is_file()


def _interpreters() -> dict[tuple[int, int], str]:
    """A CPython of each release from 3.11 that is on this machine."""
    candidates = [Path(sys.executable), *Path("/usr/bin").glob("python3.*"), *Path("/usr/local/bin").glob("python3.*")]
    candidates += Path.home().glob(".pyenv/versions/*/bin/python3")
    candidates += Path.home().glob(".local/share/uv/python/cpython-*/bin/python3")
    found: dict[tuple[int, int], str] = {}
    for candidate in candidates:
        if candidate.name.endswith("-config"):
            continue
        words = [str(candidate), "-c", "import sys; print(sys.implementation.name, *sys.version_info[:2])"]
        said = subprocess.run(words, capture_output=True, text=True, check=False).stdout.split()
        if len(said) == 3 and said[0] == "cpython" and (release := (int(said[1]), int(said[2]))) >= (3, 11):
            found.setdefault(release, str(candidate))
    return found


def test_every_python_at_hand_imports_the_same_wheel(tmp_path: Path) -> None:
    (tmp_path / "pharos").symlink_to(Path(pharos.__file__).parent)
    script = "import pharos; print(pharos.check([('policy.yaml', 'version: 1')]).summary, pharos.__version__)"
    expected = f"{pharos.check([('policy.yaml', 'version: 1')]).summary} {pharos.__version__}"
    interpreters = _interpreters()
    assert sys.version_info[:2] in interpreters
    for interpreter in interpreters.values():
        environment = {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([interpreter, "-c", script], env=environment, capture_output=True, text=True, check=False)
        assert done.stdout.strip() == expected, (interpreter, done.stderr)
