"""Kafka's archive in Apache's layout (libs, bin, config), from locked jars."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

from dist import archive, locks, maven, tools, whole

SCALA = "2.13"
LOG4J = "2.25.1"
JACKSON_YAML = "2.21.2"
SLF4J_RELOAD4J = "1.7.36"
FIRST_WITHOUT_ZOOKEEPER = 4
FILES = locks.HERE / "files"
#: Artifacts that are not served for every release: the shell that reads snapshots of metadata, and MirrorMaker.
OPTIONAL = frozenset({"kafka-shell", "connect-mirror"})


def needs_zookeeper(version: str) -> bool:
    """Check for a release that tests copy from, and that is never installed."""
    return int(version.partition(".")[0]) < FIRST_WITHOUT_ZOOKEEPER


def roots(version: str) -> tuple[locks.Artifact, ...]:
    """Return the artifacts of a release; the rest are their dependencies."""
    kafka = "org.apache.kafka"
    if needs_zookeeper(version):
        reload4j = locks.Artifact("org.slf4j", "slf4j-reload4j", SLF4J_RELOAD4J)
        return (locks.Artifact(kafka, f"kafka_{SCALA}", version), reload4j)
    named = [(kafka, name) for name in (f"kafka_{SCALA}", "kafka-tools", "kafka-shell", "connect-mirror")]
    logging = [("org.apache.logging.log4j", n) for n in ("log4j-slf4j-impl", "log4j-core", "log4j-1.2-api")]
    yaml = locks.Artifact("com.fasterxml.jackson.dataformat", "jackson-dataformat-yaml", JACKSON_YAML)
    return (
        *(locks.Artifact(group, name, version) for group, name in named),
        *(locks.Artifact(group, name, LOG4J) for group, name in logging),
        yaml,
    )


def lock(version: str, cache: Path) -> Path:
    """Resolve a version again and write its lock."""
    artifacts = resolved(roots(version))
    directory = cache / "kafka" / f"libs-{version}"
    directory.mkdir(parents=True, exist_ok=True)
    maven.run("copy-dependencies", artifacts, maven.ALONE, f"-DoutputDirectory={directory}")
    hashed = tuple(locks.Artifact(a.group, a.name, a.version, locks.sha256(directory / a.jar)) for a in artifacts)
    target = locks.path(f"kafka-{version}")
    whole.write(target, locks.text(hashed))
    return target


def resolved(wanted: tuple[locks.Artifact, ...]) -> tuple[locks.Artifact, ...]:
    """Return `wanted` and its dependencies at run time, without the optional artifacts that are not served."""
    try:
        return maven.resolve(wanted)
    except maven.NotServedError as error:
        if not error.names <= OPTIONAL:
            raise
        sys.stderr.write(f"dist: not served for this release, left out: {', '.join(sorted(error.names))}\n")
        return maven.resolve(tuple(one for one in wanted if one.name not in error.names))


def jars(version: str, cache: Path) -> Path:
    """Return the directory that holds exactly the locked jars of `version`."""
    directory = cache / "kafka" / f"libs-{version}"
    maven.fetch(locks.read(f"kafka-{version}"), directory)
    return directory


def assemble(version: str, cache: Path) -> Path:
    """Return the archive of `version`, with its sha256 beside it. Rebuilt if damaged, or if its sources change."""
    artifacts = locks.read(f"kafka-{version}")
    if any(a.name == "zookeeper" for a in artifacts):
        raise locks.LockError(
            f"Kafka {version} runs on ZooKeeper and is not installed; tests take `python -m dist jars`"
        )
    name = f"kafka_{SCALA}-{version}"
    target = cache / "kafka" / f"{name}.tgz"
    recipe = _recipe(version)
    made_by = cache / "kafka" / f".{name}.recipe"
    if made_by.is_file() and made_by.read_text() == recipe and _is_whole(target):
        return target
    members = _members(artifacts, jars(version, cache))
    archive.tar_gz(target, {f"{name}/{path}": content for path, content in members.items()})
    whole.write(_beside(target), f"{locks.sha256(target)}  {target.name}\n")
    whole.write(made_by, recipe)
    return target


def _beside(archive_file: Path) -> Path:
    """Return the path of an archive's checksum."""
    return Path(f"{archive_file}.sha256")


def _is_whole(target: Path) -> bool:
    """Check the archive against the checksum beside it. Playbooks refuse another; `make archive` is the remedy."""
    there = target.is_file() and _beside(target).is_file()
    return there and _beside(target).read_text().split()[:1] == [locks.sha256(target)]


def _members(artifacts: tuple[locks.Artifact, ...], directory: Path) -> dict[str, bytes]:
    """Return path in the archive -> content."""
    members = {f"libs/{a.jar}": (directory / a.jar).read_bytes() for a in artifacts}
    for file in FILES.iterdir():
        members[f"{'bin' if file.suffix == '.sh' else 'config'}/{file.name}"] = file.read_bytes()
    members |= {f"bin/{name}": text.encode() for name, text in tools.wrappers(_classes(artifacts, directory)).items()}
    with zipfile.ZipFile(directory / next(a.jar for a in artifacts if a.name == f"kafka_{SCALA}")) as kafka:
        members |= {name: kafka.read(name) for name in ("LICENSE", "NOTICE")}
    return members


def _classes(artifacts: tuple[locks.Artifact, ...], directory: Path) -> set[str]:
    """Return the names of all classes in the jars."""
    found: set[str] = set()
    for artifact in artifacts:
        with zipfile.ZipFile(directory / artifact.jar) as jar:
            found |= {name[: -len(".class")].replace("/", ".") for name in jar.namelist() if name.endswith(".class")}
    return found


def _recipe(version: str) -> str:
    """Return everything that decides the archive's bytes, short of the jars that the lock names."""
    sources = [locks.path(f"kafka-{version}"), *sorted(FILES.iterdir()), Path(tools.__file__), Path(archive.__file__)]
    if not sources[0].is_file():
        locks.read(f"kafka-{version}")
    return "\n".join(f"{source.name} {locks.sha256(source)}" for source in sources)
