"""Filters, lookups and tests in playbooks: by the oldest and the pinned ansible-core, with the bindings or without."""

import json
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret
from cryptography.hazmat.primitives.serialization import Encoding

import pharos
from bed import cores
from bed.pki import Authority
from play.collection import REPOSITORY, SOURCE, real, with_program
from play.documented import undocumented
from play.run import ANSIBLE, Player, Run, TaskResult

OLDEST = cores.CORES[0]
PLUGINS = [
    (kind, path.stem) for kind in ("filter", "lookup", "test") for path in sorted((SOURCE / "plugins" / kind).glob("*.py"))
]
POLICY = "environments/example/policy.yaml"
CATALOGUE = "catalogue/services.yaml"
LABORATORY = "docs/examples/laboratory.yaml"

# Each as (core, whether the bindings are there, whether templates give native types).
FRONTS = [(OLDEST, True, False), (OLDEST, False, False), (OLDEST, True, True), (None, True, True), (None, False, True)]

INVENTORY = """
all:
  vars:
    ansible_connection: local
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
    ceph_password: "never to leave Ansible {{ nowhere }}"
    net: 192.0.2
    covered: ["platform.{{ domain }}", "b.{{ domain }}"]
    domain: example.org
  children:
    kube_control_plane:
      hosts:
        n1: {ansible_host: "{{ net }}.1"}
        n2: {ansible_host: "{{ net }}.2"}
        n3: {ansible_host: "{{ net }}.3"}
      vars:
        node_labels: {storage-node: "True", storage-control: "True"}
    kube_node:
      hosts:
        n4: {ansible_host: 192.0.2.4, ip: 10.0.0.4}
    etcd:
      hosts: {n1: , n2: , n3: }
    k8s_cluster:
      children: {kube_control_plane: , kube_node: }
"""


def _lookup(name: str, terms: str = f"'{POLICY}'", **options: str) -> str:
    written = "".join(f", {option}={value}" for option, value in ({"catalogue_file": f"'{CATALOGUE}'"} | options).items())
    return f"lookup('pharos.platform.{name}', {terms}{written})"


# What a template gives, by the name of its task.
EXPRESSIONS = {
    "routes": _lookup("routes"),
    "routes of a laboratory": _lookup("routes", extension_files=f"['{LABORATORY}']"),
    "routes of two": _lookup("routes", f"'{POLICY}', 'environments/devbox/policy.yaml'") + " | map('length')",
    "environment": _lookup("edge_environment"),
    "topology": "groups | pharos.platform.topology(hostvars)",
    "topology by name": "groups | pharos.platform.topology(hostvars=hostvars)",
    "certificates": "pem | pharos.platform.certificates",
    "covers": "covered | map('extract', hosts_covered)",
    "covers a vault": "pem is pharos.platform.covers(vaulted)",
    "covers an address": "pem is pharos.platform.covers('192.0.2.1')",
    "names": "['a.example.org', 'A.example.org', 'a', '192.0.2.1', 3, none, true, vaulted] | select('pharos.platform.host_name')",
    "lazy names": "covered | select('pharos.platform.host_name') | join(' ')",
}

# The codes that a template's refusal names.
REFUSED = {
    _lookup("routes", "'nowhere.yaml'"): ["module/document-missing"],
    _lookup("routes", catalog_file="'x'"): ["module/unknown-option"],
    "lookup('pharos.platform.routes')": ["module/missing-option"],
    "lookup('pharos.platform.edge_environment', [], catalogue_file='x')": ["module/missing-option"],
    _lookup("routes", "'0123456789' * 500"): ["module/document-missing"],
    _lookup("routes", "'huge.yaml'"): ["document/budget"],
    _lookup("routes", f"'{CATALOGUE}'"): ["site/wrong-document"],
    _lookup("routes", "'broken.yaml'"): ["name/origin", "policy/required-service", "policy/unknown-service"],
    _lookup("edge_environment", "'broken.yaml'"): ["name/origin", "policy/required-service", "policy/unknown-service"],
    "{'kube_node': ['n1']} | pharos.platform.topology({'n1': {'pharos_api_acess': 'ssh'}})": ["inventory/unknown-variable"],
    "groups | pharos.platform.topology": ["module/missing-option"],
    "groups | pharos.platform.topology(hostvars, 1)": ["module/unknown-option"],
    "'n1' | pharos.platform.topology({})": ["module/option-value"],
    "'no certificate' | pharos.platform.certificates": ["certificate/empty"],
    "'no certificate' is pharos.platform.covers('a.example.org')": ["certificate/empty"],
    "pem is pharos.platform.covers('*.example.org')": ["name/host-name"],
    "pem_key | pharos.platform.certificates": ["certificate/key-as-chain"],
    "der | b64decode | pharos.platform.certificates": ["certificate/not-pem"],
    "der | b64decode is pharos.platform.covers('platform.example.org')": ["certificate/not-pem"],
    "(pem ~ '\n' ~ pem_key) | pharos.platform.certificates": ["certificate/key-in-chain"],
    "(pem_key ~ '\n' ~ pem) is pharos.platform.covers('platform.example.org')": ["certificate/key-in-chain"],
    "pem is pharos.platform.covers('192.0.2.300')": ["name/host-name"],
    "'a' is pharos.platform.host_name('a', 3)": ["module/unknown-option"],
    _lookup("routes", "'binary.yaml'"): ["document/encoding"],
    _lookup("edge_environment", "'environments'"): ["module/document-missing"],
    "{'etcd': 'abc'} | pharos.platform.topology(hostvars)": ["module/option-value"],
    "{'etcd': [['n1'], 3, {}]} | pharos.platform.topology(hostvars)": ["module/option-value"],
    "{'etcd': ['n1']} | pharos.platform.topology({'n1': 'x'})": ["module/option-value"],
}

# What is said of some of them: by a part of the expression.
MESSAGES = {
    "edge_environment', []": "lookup('pharos.platform.edge_environment', 'PATH', catalogue_file='PATH')`",
    "* 500": "`_terms` is a text of 5000 characters, which is no path",
    "nowhere.yaml": "`_terms` is 'nowhere.yaml', which cannot be read on the controller: No such file or directory",
    "binary.yaml": "`_terms` is 'binary.yaml', which is not UTF-8: the byte at offset 11 is 0xFF",
    "'environments'": "give the path of a file, not of its folder",
    "der | b64decode | ": "a certificate in DER by `openssl x509 -inform der -in OLD -out NEW`",
    "192.0.2.300": "what ends in a number is an address, and `300` is above 255: correct it, or write a host name",
    "host_name('a', 3)": "test `host_name`: it is given 2 values too many by place",
    "'abc'": "filter `topology`: `_input.etcd` is a text, not a list",
    "'x'}": "filter `topology`: `hostvars.n1` is a text, not a dictionary",
}

UNDEFINED = "nowhere | pharos.platform.certificates"

# A value of each kind in Jinja, and the words for it in a refusal.
VALUES = {
    "int": ("3", "a whole number"),
    "str": ("'a.example.org'", "a text"),
    "list": ("[]", "a list"),
    "dict": ("{}", "a dictionary"),
    "none": ("none", "null"),
    "bool": ("true", "a boolean"),
}


def wrong_kinds() -> Iterator[tuple[str, str]]:
    """Each plugin with each argument of each wrong kind: the expression, and how its refusal begins."""
    for kind, name in PLUGINS:
        options = documentation(kind, name)["doc"]["options"]
        right = {option: _right(said["type"]) for option, said in options.items()}
        for option, said in options.items():
            fits = {"path": {"str"}, "str": {"str"}, "dict": {"dict"}, "raw": set(VALUES)}
            ok = fits.get(said["type"], {"list", "str"}) | (set() if said.get("required") else {"none"})
            for value in VALUES.keys() - ok:
                written, words = VALUES[value]
                place = f"{option}[0]" if option == "_terms" else option  # a term is one of a list
                yield _applied(kind, name, right | {option: written}), f"{kind} `{name}`: `{place}` is {words}, not "


def _right(documented: str) -> str:
    return {"dict": "{}", "list": "['a.yaml']"}.get(documented, "'a.yaml'")


def _applied(kind: str, name: str, given: dict[str, str]) -> str:
    if kind == "lookup":
        return _lookup(name, given.pop("_terms"), **given)
    first, operator = given.pop("_input"), "is" if kind == "test" else "|"
    named = ", ".join(f"{option}={value}" for option, value in given.items())
    return f"{first} {operator} pharos.platform.{name}({named})"


@cache
def documentation(kind: str, name: str) -> dict[str, Any]:
    """What the files of a plugin say of it."""
    place = SOURCE / "plugins" / kind / f"{name}.py"
    if kind == "lookup":
        text = dict(re.findall(r'^([A-Z]+) = r"""\n(.*?)"""', place.read_text(), re.M | re.S))
        said = {key: yaml.safe_load(text[key]) for key in ("DOCUMENTATION", "RETURN")} | {"EXAMPLES": text["EXAMPLES"]}
    else:
        said = yaml.safe_load(place.with_suffix(".yml").read_text())
    return {"doc": said["DOCUMENTATION"], "return": said["RETURN"], "examples": said["EXAMPLES"]}


class Front:
    """A run of every example, expression and refusal, by the names of the tasks."""

    def __init__(self, folder: Path, core: cores.Core | None, bindings: bool, native: bool) -> None:
        player = _player(folder, core)
        for name in ("catalogue", "environments", "docs"):
            (folder / name).symlink_to(REPOSITORY / name)
        broken = (REPOSITORY / POLICY).read_text().replace("https://platform", "ftp://platform").replace("kubeflow:", "kubflow:")
        (folder / "broken.yaml").write_text(broken)
        with (folder / "huge.yaml").open("wb") as file:
            file.truncate(1 << 40)  # far more than this process may hold
        (folder / "binary.yaml").write_bytes(b"version: 1\n\xff\n")
        self.leaf = Authority.create("root").issue("platform.example.org", "*.b.example.org", "192.0.2.1")
        chain, key = self.leaf.write(folder / "platform.example.org", "fullchain")
        secret = VaultLib([("default", VaultSecret(b"opens it"))]).encrypt("platform.example.org").decode()
        (folder / "password").write_text("opens it")
        indented = "".join(f"      {line}\n" for line in secret.splitlines())
        (folder / "hosts.yml").write_text(INVENTORY.replace("    domain:", f"    vaulted: !vault |\n{indented}    domain:"))
        environment = {
            "ANSIBLE_VAULT_PASSWORD_FILE": str(folder / "password"),
            **({"ANSIBLE_JINJA2_NATIVE": str(native)} if core else {}),
            "PYTHONPATH": str(_with_bindings(folder) if bindings else _without_bindings(folder)),
        }
        variables = {
            "pem": f"{{{{ lookup('file', '{chain}') }}}}",
            "pem_key": f"{{{{ lookup('file', '{key}') }}}}",
            "der": b64encode(self.leaf.certificate.public_bytes(Encoding.DER)).decode(),
            "hosts_covered": {name: f"{{{{ pem is pharos.platform.covers('{name}') }}}}" for name in self.hosts()},
        }
        self.wrong = dict(wrong_kinds())
        tasks = [*_examples(chain.parent.parent), *_expressions(), *_refusals([*REFUSED, UNDEFINED, *self.wrong])]
        self.run: Run = player.play(tasks, variables=variables, environment=environment, verbosity=0)
        self.results: dict[str, TaskResult] = {result.task: result for result in self.run.results}

    @staticmethod
    def hosts() -> list[str]:
        return ["platform.example.org", "b.example.org"]

    def value(self, name: str) -> Any:
        result = self.results[name]
        assert result.outcome == "ok", (result, self.run.output)
        return result["msg"]


def _player(folder: Path, core: cores.Core | None) -> Player:
    collections = real(folder / "collections")
    inventory = folder / "hosts.yml"
    playbook = cores.ansible_playbook(core) if core else ANSIBLE
    return Player(folder, collections, inventory, ansible=playbook)


def _with_bindings(folder: Path) -> Path:
    """The bindings of this run, for another release's Python."""
    place = folder / "bindings"
    place.mkdir()
    (place / "pharos").symlink_to(Path(pharos.__file__).parent)
    return place


def _without_bindings(folder: Path) -> Path:
    package = folder / "shadow" / "pharos"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('not here')\n")
    return package.parent


def _examples(live: Path) -> list[dict[str, Any]]:
    tasks = []
    for kind, name in PLUGINS:
        text = str(documentation(kind, name)["examples"]).replace("/etc/letsencrypt/live", str(live))
        tasks += [task | {"name": f"example {kind} {name}: {task['name']}", "run_once": True} for task in yaml.safe_load(text)]
    return tasks


def _expressions() -> list[dict[str, Any]]:
    return [
        {"name": name, "run_once": True, "ansible.builtin.debug": {"msg": f"{{{{ {expression} }}}}"}}
        for name, expression in EXPRESSIONS.items()
    ]


def _refusals(expressions: list[str]) -> list[dict[str, Any]]:
    shown = {"run_once": True, "ignore_errors": True}
    return [
        {"name": f"refused {expression}", "ansible.builtin.debug": {"msg": f"{{{{ {expression} }}}}"}, **shown}
        for expression in expressions
    ]


@pytest.fixture(
    scope="module", params=FRONTS, ids=lambda front: f"{front[0].version if front[0] else 'pinned'}-{front[1]}-{front[2]}"
)
def front(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Front:
    """Everything, once a front."""
    folder = tmp_path_factory.mktemp("front")
    folder.chmod(0o700)
    return Front(folder, *request.param)


def test_the_examples_are_run(front: Front) -> None:
    examples = [result for name, result in front.results.items() if name.startswith("example ")]
    assert len(examples) >= len(PLUGINS), front.run.output
    assert {result.outcome for result in examples} == {"ok"}, front.run.output
    assert front.results["example test host_name: Tell the names from the addresses"]["msg"] == "edge1.example.org"


def test_the_values_are_the_cores_own(front: Front) -> None:
    documents = [(name, (REPOSITORY / name).read_text()) for name in (CATALOGUE, POLICY, LABORATORY)]
    catalogue, policy, laboratory = documents
    assert front.value("routes") == pharos.routes(catalogue, policy)
    assert front.value("routes of a laboratory") == pharos.routes(catalogue, policy, extensions=[laboratory])
    assert len(front.value("routes of two")) == 2
    assert front.value("environment") == pharos.edge_environment(catalogue, policy)
    topology = front.value("topology")
    assert topology == front.value("topology by name")
    assert topology["primary"] == {"node": "n1", "because": "first-control-plane"}
    assert topology["nodes"]["n2"]["addresses"] == {"address": "192.0.2.2"}
    assert topology["groups"].keys() == {"etcd", "k8s_cluster", "kube_control_plane", "kube_node"}
    read = front.value("certificates")
    assert read == pharos.certificate_describe(front.leaf.fullchain_pem.encode())
    assert front.value("covers") == [True, False]
    assert [front.value(name) for name in ("covers a vault", "covers an address")] == [True, True]
    assert front.value("names") == ["a.example.org", "platform.example.org"]
    assert front.value("lazy names") == "platform.example.org b.example.org"


def test_the_values_are_documented(front: Front) -> None:
    given = {"routes": "routes", "edge_environment": "environment", "topology": "topology", "certificates": "certificates"}
    for kind, name in PLUGINS:
        if name not in given:
            continue
        documented = documentation(kind, name)["return"]["_raw" if kind == "lookup" else "_value"]
        value = front.value(given[name])
        assert not list(undocumented([value] if kind == "lookup" else value, documented, name))


def test_what_is_refused_has_code_place_and_help(front: Front) -> None:
    for expression, codes in REFUSED.items():
        result = front.results[f"refused {expression}"]
        assert result.outcome == "failed", expression
        assert set(re.findall(r"error\[([a-z/-]+)\]", result.message)) >= set(codes), (expression, result.message)
        assert "= help: " in result.message
        assert "PRIVATE KEY-----" not in result.message
    said = {expression: front.results[f"refused {expression}"].message for expression in REFUSED}
    message = next(text for expression, text in said.items() if "broken.yaml" in expression)
    assert re.search(r"--> broken\.yaml:\d+:\d+", message), message
    assert "did you mean `kubeflow`?" in message
    for part, words in MESSAGES.items():
        assert any(words in text for expression, text in said.items() if part in expression), (part, said)
    undefined = front.results[f"refused {UNDEFINED}"]
    assert "'nowhere' is undefined" in undefined.message


def test_a_value_of_another_kind_is_refused_by_plugin_argument_and_kind(front: Front) -> None:
    assert len(front.wrong) >= 35
    for expression, says in front.wrong.items():
        result = front.results[f"refused {expression}"]
        assert result.outcome == "failed", expression
        assert f"error[module/option-value]: {says}" in result.message, (expression, result.message)
        assert "object is not" not in result.message and "unhashable" not in result.message


@pytest.mark.parametrize("bindings", [True, False])
def test_another_version_is_refused(tmp_path: Path, bindings: bool) -> None:
    copy = tmp_path / "other" / "ansible_collections" / "pharos" / "platform"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("src", "tests", "__pycache__"))
    generated = copy / "plugins" / "plugin_utils" / "modules.json"
    generated.write_text(generated.read_text().replace('"version": "0.1.0"', '"version": "9.0.0"'))
    tmp_path.chmod(0o700)
    task = {"name": "a", "ansible.builtin.debug": {"msg": "{{ 'a.example.org' is pharos.platform.host_name }}"}}
    environment = {} if bindings else {"PYTHONPATH": str(_without_bindings(tmp_path))}
    run = Player(tmp_path, tmp_path / "other").play([task], environment=environment, verbosity=0)
    assert "error[module/version-skew]: the collection is of version 9.0.0" in run.one.message, run.output


def test_of_a_host_the_named_variables_alone_leave_ansible(tmp_path: Path) -> None:
    program = r"""#!/bin/sh
request=$(sed 's/[\\"]/\\&/g')
printf '{"changed": false, "value": "%s"}\n' "$request"
"""
    collections = with_program(tmp_path / "collections", program.encode())
    tmp_path.chmod(0o700)
    (tmp_path / "hosts.yml").write_text(INVENTORY.replace("    net:", "    pharos_other: secret\n    net:"))
    task = {"name": "a", "run_once": True, "ansible.builtin.debug": {"msg": "{{ groups | pharos.platform.topology(hostvars) }}"}}
    environment = {"PYTHONPATH": str(_without_bindings(tmp_path))}
    run = Player(tmp_path, collections, tmp_path / "hosts.yml").play([task], environment=environment, verbosity=0)
    said = run.results[0]["msg"]
    request: Mapping[str, Any] = json.loads(said) if isinstance(said, str) else said
    hosts = request["arguments"]["hostvars"]
    assert hosts["n4"] == {"ansible_host": "192.0.2.4", "ip": "10.0.0.4", "pharos_other": None}
    assert hosts.keys() == {"n1", "n2", "n3", "n4"}


@pytest.mark.parametrize("core", [OLDEST, None], ids=["oldest", "pinned"])
def test_a_variable_that_cannot_be_resolved_hides_no_other_finding(tmp_path: Path, core: cores.Core | None) -> None:
    tmp_path.chmod(0o700)
    failing = "n4: {ansible_host: 192.0.2.4, ip: \"{{ 'x' | no_such_filter }}\", node_taints: hunter2, pharos_api_acess: ssh}"
    inventory = INVENTORY.replace("n4: {ansible_host: 192.0.2.4, ip: 10.0.0.4}", failing)
    (tmp_path / "hosts.yml").write_text(
        inventory.replace("192.0.2\n", "192.0.2\n    access_ip: !vault |\n      $ANSIBLE_VAULT;1.1;AES256\n      6162\n")
    )
    task = {"name": "a", "run_once": True, "ansible.builtin.debug": {"msg": "{{ groups | pharos.platform.topology(hostvars) }}"}}
    environment = {"PYTHONPATH": str(_with_bindings(tmp_path))}
    message = _player(tmp_path, core).play([task], environment=environment, verbosity=0).one.message
    codes = {"ansible/template", "ansible/vault-variable", "inventory/unknown-variable", "inventory/taint"}
    assert codes <= set(re.findall(r"error\[([a-z/-]+)\]", message)), message
    assert "the template of `ip` of `n4` fails" in message and "hunter2" not in message


@pytest.mark.parametrize(("kind", "name"), PLUGINS)
def test_ansible_doc_shows_every_plugin(tmp_path: Path, kind: str, name: str) -> None:
    player = Player(tmp_path, real(tmp_path / "collections"))
    words: list[str | Path] = [Path(sys.executable).parent / "ansible-doc", "-t", kind, "--json", f"pharos.platform.{name}"]
    done = subprocess.run(words, env=player.variables(tmp_path / "record"), capture_output=True, text=True, check=True)
    assert "WARNING" not in done.stderr, done.stderr
    shown = json.loads(done.stdout)[f"pharos.platform.{name}"]
    said = documentation(kind, name)
    assert shown["doc"]["short_description"] == said["doc"]["short_description"]
    assert all(option["description"] for option in shown["doc"]["options"].values())
    assert shown["examples"].strip() == said["examples"].strip()
    assert shown["return"].keys() == said["return"].keys()
