"""Modules run with the Python of a host, which has its standard library alone, often without PyYAML."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Loads each module as its host does. Modules are not found that are no part of Python or of Ansible's own module code.
LOADED = """
import importlib.util, sys
from pathlib import Path
import ansible.module_utils, ansible.module_utils.basic

class Missing:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top != "ansible" and top not in found:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

root = Path(sys.argv[1])
found = {path.stem for path in root.glob("library/*.py")}
for name in [one for one in sys.modules if one.partition(".")[0] not in {*sys.stdlib_module_names, "ansible"}]:
    del sys.modules[name]
sys.meta_path.insert(0, Missing())
ansible.module_utils.__path__.append(str(root / "module_utils"))
for name in sorted(found):
    for one in [one for one in sys.modules if ".module_utils.kraft" in one]:
        del sys.modules[one]
    spec = importlib.util.spec_from_file_location(name, root / "library" / f"{name}.py")
    sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(sys.modules[name])
    except ModuleNotFoundError as error:
        print(f"{name}: {error}")
print(len(found))
"""


def test_each_module_loads_on_a_host_with_python_alone() -> None:
    lib = Path(next(one for one in sys.path if (Path(one) / "ansible" / "module_utils").is_dir()))
    run = subprocess.run(
        [sys.executable, "-c", LOADED, str(ROOT)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(lib)},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    *missing, modules = run.stdout.splitlines()
    assert missing == []
    assert int(modules) > 40
