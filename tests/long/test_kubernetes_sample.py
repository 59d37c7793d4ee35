"""The pod template and the documented command for Kubernetes. No Kubernetes takes part: they are rendered and compared.

The template is compared with Kubernetes' schema, and the names of settings with those that Spark's own jar has.
"""

from __future__ import annotations

import shlex
import subprocess
import zipfile
from pathlib import Path

import pytest

from spark_jobs import submit
from spark_jobs.installation import spark_home
from tests.long.environments import installed
from tests.long.lab_hosts import ROOT

TEMPLATE = ROOT / "samples/kubernetes/executor.yml"
PAGE = ROOT / "docs/data_engineers.md"


@pytest.fixture(scope="module")
def validate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lock = ROOT / "requirements/samples/kubernetes.lock"
    return installed(lock, tmp_path_factory.mktemp("kubernetes")) / "kubernetes-validate"


@pytest.mark.parametrize(("old", "new", "code"), [("", "", 0), ("runAsNonRoot: true", "runAsNobody: true", 1)])
def test_the_pod_template_is_one_that_kubernetes_takes(
    validate: Path, tmp_path: Path, old: str, new: str, code: int
) -> None:
    template = tmp_path / "executor.yml"
    template.write_text(TEMPLATE.read_text().replace(old, new))
    done = subprocess.run([str(validate), "--strict", str(template)], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr


def test_the_command_of_the_page_is_rendered_with_settings_that_spark_knows() -> None:
    text = PAGE.read_text().partition("### Kubernetes")[2].partition("```sh\n")[2].partition("```")[0]
    words = shlex.split(text.replace("\\\n", " "))
    options = submit._parser().parse_args(words[words.index("--config") :])
    line = submit.command(submit.Tools(Path("spark-submit"), ()), options.master, options.conf, 1, options.config)
    assert line[1:3] == ["--master", "k8s://https://k8s.example.com:6443"]
    named = [word.partition("=")[0] for word in line if word.startswith("spark.kubernetes.")]
    assert len(named) == 3
    (jar,) = (spark_home() / "jars").glob("spark-kubernetes_*.jar")
    with zipfile.ZipFile(jar) as made:
        known = made.read("org/apache/spark/deploy/k8s/Config$.class")
    assert [name for name in named if name.encode() not in known] == []
    assert TEMPLATE.is_file()
