"""The bundle has every file of the checkout, every locked package and every locked jar; one that lacks is named."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import pytest

from dist import bundle, kafka, locks
from dist.__main__ import METRICS_LOCK, SPARK_LOCK, VERSION

ROOT = Path(__file__).resolve().parents[3]
ENTRY = "=="


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """A file for each package of requirements/*.lock, named as pip names them."""
    made = tmp_path / "wheels"
    made.mkdir()
    for lock in (ROOT / "requirements").glob("*.lock"):
        entries = [line.split()[0] for line in lock.read_text().splitlines() if ENTRY in line]
        for name, _, version in (entry.partition(ENTRY) for entry in entries):
            (made / f"{name.replace('-', '_')}-{version}-py3-none-any.whl").touch()
    (made / "python").touch()
    return made


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Make the files of `make archive`, the contents aside."""
    made = tmp_path / "cache"
    archive = f"kafka_{kafka.SCALA}-{VERSION}.tgz"
    names = [f"kafka/{archive}", f"kafka/{archive}.sha256", f"kafka/.{archive.removesuffix('.tgz')}.recipe"]
    names += ["client/kafka_python.zip", "kafka/libs-4.3.1/left-out.jar"]
    names += [f"spark/jars/{each.jar}" for each in locks.read(SPARK_LOCK)]
    names += [f"metrics/{each.jar}" for each in locks.read(METRICS_LOCK)]
    for name in names:
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).touch()
    return made


def test_every_lock_entry_and_every_file_of_the_checkout_is_in_it(wheels: Path, cache: Path) -> None:
    found = bundle.members(ROOT, cache, wheels, [VERSION])
    packages = [path for path in found if path.startswith(".cache/wheels/") and path.endswith(".whl")]
    assert len(packages) == len(bundle.pins(ROOT)) > 100
    jars = {each.jar for lock in (SPARK_LOCK, METRICS_LOCK) for each in locks.read(lock)}
    assert jars <= {Path(path).name for path in found}
    assert {".cache/client/kafka_python.zip", ".cache/wheels/python"} <= set(found)
    assert {f".cache/kafka/kafka_2.13-{VERSION}.tgz", f".cache/kafka/.kafka_2.13-{VERSION}.recipe"} <= set(found)
    assert {"Makefile", "scripts/bootstrap", "requirements/build.lock", "playbooks/roles"} <= set(found)
    assert not [path for path in found if "left-out" in path]


def test_the_archive_that_copies_run_from_goes_in_where_it_is_asked_for(wheels: Path, cache: Path) -> None:
    with pytest.raises(locks.LockError, match=r"kafka_2\.13-4\.3\.1\.tgz; run `make archive`"):
        bundle.members(ROOT, cache, wheels, [VERSION, "4.3.1"])
    for name in ("kafka_2.13-4.3.1.tgz", "kafka_2.13-4.3.1.tgz.sha256", ".kafka_2.13-4.3.1.recipe"):
        (cache / "kafka" / name).touch()
    found = bundle.members(ROOT, cache, wheels, [VERSION, "4.3.1"])
    assert {f".cache/kafka/kafka_2.13-{one}.tgz" for one in (VERSION, "4.3.1")} <= set(found)


def test_a_package_that_is_locked_and_not_there_is_named(wheels: Path, cache: Path) -> None:
    next(wheels.glob("ansible_core-*")).unlink()
    with pytest.raises(locks.LockError, match=r"locked, but not in .*: ansible-core==[\d.]+$"):
        bundle.members(ROOT, cache, wheels, [VERSION])


def test_jars_that_no_one_fetched_are_named(wheels: Path, cache: Path) -> None:
    shutil.rmtree(cache / "spark")
    with pytest.raises(locks.LockError, match=r"spark/jars/\*\.jar; run `make archive`"):
        bundle.members(ROOT, cache, wheels, [VERSION])


@pytest.mark.parametrize(
    ("file", "pin"),
    [
        ("ansible_core-2.19.14-py3-none-any.whl", ("ansible-core", "2.19.14")),
        ("PyYAML-6.0.3-cp311-cp311-manylinux2014_x86_64.whl", ("pyyaml", "6.0.3")),
        ("pyspark-4.2.0.tar.gz", ("pyspark", "4.2.0")),
        ("python", ("", "")),
    ],
)
def test_a_file_says_which_package_it_holds(file: str, pin: tuple[str, str]) -> None:
    assert bundle.pin_of(file) == pin


def test_the_archive_of_java_goes_in_and_a_wrong_path_is_named(
    wheels: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "packages", lambda *_: wheels)
    java = tmp_path / "jdk-17.tar.gz"
    with pytest.raises(locks.LockError, match=r"no archive of Java .*jdk-17\.tar\.gz"):
        bundle.build(ROOT, cache, [VERSION], java)
    java.touch()
    with tarfile.open(bundle.build(ROOT, cache, [VERSION], java)) as made:
        entries = made.getmembers()
    names = {entry.name for entry in entries}
    assert {f"kraftwright-0.1.0/{name}" for name in (".cache/java/jdk-17.tar.gz", "README.md")} <= names
    assert {(entry.uid, entry.uname) for entry in entries} == {(0, "")}
    assert [entry.name for entry in entries if entry.issym()]
