"""Collections and settings that an operator has at home take no part in what make targets run."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from edgebed.documents import WEB, Site
from edgebed.playbook import REPOSITORY, program

_HOSTILE = "raise SystemExit('the operator\\'s own collection was used')\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with a collection of our name whose every plugin ends the run."""
    collection = tmp_path / ".ansible/collections/ansible_collections/pharos/platform"
    (collection / "plugins/modules").mkdir(parents=True)
    (collection / "plugins/action").mkdir()
    (collection / "galaxy.yml").write_text("namespace: pharos\nname: platform\nversion: 99.0.0\n")
    manifest = {"collection_info": {"namespace": "pharos", "name": "platform", "version": "99.0.0"}, "format": 1}
    (collection / "MANIFEST.json").write_text(json.dumps(manifest))
    for name in ("site_info", "edge_config", "edge_render", "certificate_info", "acme_lineage"):
        for kind in ("modules", "action"):
            (collection / f"plugins/{kind}/{name}.py").write_text(_HOSTILE)
    return tmp_path


def _settings(home: Path) -> dict[str, str]:
    """What an operator with such a home exports: everything leads to the other collection."""
    hostile = home / ".ansible/collections"
    plugins = hostile / "ansible_collections/pharos/platform/plugins"
    configuration = home / "ansible.cfg"
    configuration.write_text(f"[defaults]\ncollections_path = {hostile}\nroles_path = {home}/roles\n")
    return {
        "ANSIBLE_ACTION_PLUGINS": str(plugins / "action"),
        "ANSIBLE_COLLECTIONS_PATH": str(hostile),
        "ANSIBLE_CONFIG": str(configuration),
        "ANSIBLE_LIBRARY": str(plugins / "modules"),
        "ANSIBLE_ROLES_PATH": str(home / "roles"),
        "HOME": str(home),
    }


def _make(home: Path, *argv: str) -> str:
    """Run a command as the recipe of a make target, for an operator with such a home and such settings."""
    recipe = f"probe:\n\t@{shlex.join(argv)}"
    words = ["make", "--silent", "--eval", recipe, "probe"]
    environment = {**os.environ, **_settings(home)}
    done = subprocess.run(words, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_only_the_private_collection_is_seen(home: Path) -> None:
    seen = json.loads(_make(home, program("ansible-galaxy"), "collection", "list", "--format", "json"))
    versions = [entry["pharos.platform"]["version"] for entry in seen.values() if "pharos.platform" in entry]
    assert versions
    assert "99.0.0" not in versions


def test_a_module_is_the_private_collections_own(home: Path, tmp_path: Path) -> None:
    documents = Site("127.0.0.1:30088").write(tmp_path / "site")
    arguments = " ".join(f"{name.removeprefix('edge_')}={path}" for name, path in documents.items())
    words = [program("ansible"), "localhost", "--connection", "local", "--module-name", "pharos.platform.site_info"]
    said = _make(home, *words, "--args", arguments)
    assert WEB in said


@pytest.mark.parametrize("exported", [True, False])
def test_the_playbook_as_the_guide_runs_it_is_this_checkouts_own(home: Path, tmp_path: Path, exported: bool) -> None:
    guide = (REPOSITORY / "docs/guide/edge.md").read_text()
    command = "ansible-playbook -i inventory.yml playbooks/edge-distributed.yml -e edge_environment_file=$PWD/edge.json"
    assert f"$ {command}\n" in guide

    # a document that is refused before the host is looked at: none is needed, and nothing can be changed
    role = home / "roles/edge/tasks"
    role.mkdir(parents=True)
    (role / "judge.yml").write_text("- ansible.builtin.fail:\n    msg: the operator's own role was used\n")
    documents = Site("127.0.0.1:30088").at(web="not a host").write(tmp_path / "site")
    hosts = {"hosts": {"edge1": {"ansible_connection": "local", "ansible_become": False}}, "vars": documents}
    (tmp_path / "inventory.yml").write_text(json.dumps({"platform-edge": hosts}))
    words = command.replace("inventory.yml", str(tmp_path / "inventory.yml"))
    words = words.replace("$PWD/edge.json", documents["edge_environment_file"])
    settings = _settings(home) if exported else {"HOME": str(home)}
    own = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    environment = {**own, **settings, "PATH": f"{Path(program('python')).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", words], cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "error[name/host-name]" in done.stdout + done.stderr, done.stdout + done.stderr
    assert "the operator's own" not in done.stdout + done.stderr
