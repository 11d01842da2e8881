"""What `scripts/distributed_edge_smoke.py` judges with, for tests of other documents than the committed environments."""

import importlib.util
import sys
from types import ModuleType

from edgebed.playbook import REPOSITORY


def _loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("distributed_edge_smoke", REPOSITORY / "scripts" / "distributed_edge_smoke.py")
    if spec is None or spec.loader is None:
        raise ImportError("scripts/distributed_edge_smoke.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


script = _loaded()
judged_by = script.judged_by
real_nginx = script.real_nginx
