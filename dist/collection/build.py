"""The collection as a tree of files, and as the tarball for ``ansible-galaxy collection install``."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import tarfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import tomllib

from dist import checkout
from dist.collection import folder, python, tasks
from dist.collection.tasks import Names
from dist.whole import whole

NAMESPACE, NAME = "kraftwright", "kafka"
COLLECTION = f"{NAMESPACE}.{NAME}"
PACKAGE = f"ansible_collections.{COLLECTION}"
ANSIBLE = ">=2.19.0"
#: Directory of the checkout -> directory of the collection.
PLACES = {
    "library": "plugins/modules",
    "module_utils": "plugins/module_utils",
    "plugins": "plugins",
    "playbooks": "playbooks",
    "roles": "roles",
    "spark_jobs": "spark_jobs",
}
#: Below .cache: files that a run needs on the control machine beside Kafka's archive.
PACKED = ("client/kafka_python.zip", "metrics/*.jar", "spark/jars/*.jar")
ALONE = frozenset({"spark_jobs/__init__.py"})  # runs in Spark's and the probe's own Python
README = Path(__file__).with_name("README.md")
EXAMPLES = re.compile(r'(?<=^EXAMPLES = r""")(.*?)(?=""")', re.DOTALL | re.MULTILINE)


def tracked(root: Path) -> list[PurePosixPath]:
    """Return the files of the checkout that belong to a place of the collection, without links and tests."""
    paths = [PurePosixPath(each) for each in checkout.tracked(root, *PLACES)]
    return sorted(path for path in paths if not (root / path).is_symlink() and "tests" not in path.parts)


def short_names(root: Path, paths: list[PurePosixPath]) -> Names:
    """Return the short names of the checkout."""
    plugins = {path.stem for path in paths if path.parts[:2] == ("plugins", "lookup")}
    for path in paths:
        if path.parts[:2] == ("plugins", "filter"):
            plugins |= python.filters((root / path).read_text(encoding="utf-8"))
    return Names(
        collection=COLLECTION,
        modules=frozenset(path.stem for path in paths if path.parts[0] == "library"),
        roles=frozenset(path.parts[1] for path in paths if path.parts[0] == "roles"),
        plugins=frozenset(plugins),
        playbooks=frozenset(path.stem for path in paths if str(path.parent) == "playbooks"),
        packed=frozenset(each.split("/")[0] for each in PACKED),
    )


def converted(path: PurePosixPath, source: str, names: Names) -> str:
    """Return the text of one file in the collection."""
    if path.suffix == ".py":
        source = python.rewritten(source, PACKAGE, str(path) in ALONE)
        if path.parts[0] == "library":
            source = python.fragments(source, frozenset({"kafka_client"}), COLLECTION)
            source = EXAMPLES.sub(lambda found: tasks.rewritten(found[1], names), source)
        if path.parts[:2] == ("plugins", "action"):
            source = python.calls(source, names.modules, COLLECTION)
        kept = "|".join(sorted(names.packed))
        return tasks.sentences(re.sub(rf"\.cache/(?={kept})", "files/", source), names)
    if path.suffix == ".yml" and str(path.parent) == "playbooks":
        return tasks.rewritten(source, names, path.name)
    if path.suffix == ".yml" and "tasks" in path.parts:
        return tasks.rewritten(source, names)
    return tasks.text(source, names) if path.suffix in {".yml", ".j2"} and path.parts[0] != "spark_jobs" else source


def tree(root: Path) -> dict[str, bytes]:
    """Return path in the collection -> content."""
    paths = tracked(root)
    names = short_names(root, paths)
    files: dict[str, bytes] = {}
    for path in paths:
        content = (root / path).read_bytes()
        if path.suffix in {".py", ".yml", ".j2"}:
            content = converted(path, content.decode(), names).encode()
        files[str(PurePosixPath(PLACES[path.parts[0]], *path.parts[1:]))] = content
    files |= {name: (root / name).read_bytes() for name in ("LICENSE", "CHANGELOG.md")}
    files |= {str(lock.relative_to(root)): lock.read_bytes() for lock in root.glob("dist/spark-*.lock")}
    return {
        **files,
        **folder.folder(root, names),
        "README.md": README.read_bytes(),
        "meta/runtime.yml": f'---\nrequires_ansible: "{ANSIBLE}"\n'.encode(),
    }


def packed(cache: Path) -> dict[str, bytes]:
    """Return path in the collection -> content of the files in `cache` that match ``PACKED``."""
    found = [path for pattern in PACKED for path in sorted(cache.glob(pattern))]
    return {f"files/{path.relative_to(cache)}": path.read_bytes() for path in found}


def about(root: Path) -> dict[str, Any]:
    """Return the content of galaxy.yml, in the form of the manifest."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "namespace": NAMESPACE,
        "name": NAME,
        "version": project["version"],
        "authors": ["Kraftwright"],
        "readme": "README.md",
        "tags": ["kafka", "kraft", "spark"],
        "description": project["description"],
        "license": [],
        "license_file": "LICENSE",
        "dependencies": {},
        "repository": None,
        "documentation": None,
        "homepage": None,
        "issues": None,
    }


def described(files: Mapping[str, bytes], info: Mapping[str, Any]) -> dict[str, bytes]:
    """Return `files` with the two lists by which the installer checks them."""
    rows = [row(name, None) for name in directories(files)] + [row(name, files[name]) for name in sorted(files)]
    listed = as_json({"files": rows, "format": 1})
    manifest = {"collection_info": info, "file_manifest_file": row("FILES.json", listed), "format": 1}
    return {"MANIFEST.json": as_json(manifest), "FILES.json": listed, **files}


def directories(files: Mapping[str, bytes]) -> list[str]:
    """Return every directory of `files`, each before its content."""
    return sorted({str(up) for name in files for up in PurePosixPath(name).parents})


def row(name: str, content: bytes | None) -> dict[str, Any]:
    """Return one line of FILES.json; a directory has no content."""
    digest = None if content is None else hashlib.sha256(content).hexdigest()
    kind, algorithm = ("dir", None) if content is None else ("file", "sha256")
    return {"name": name, "ftype": kind, "chksum_type": algorithm, "chksum_sha256": digest, "format": 1}


def as_json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()


def tarball(files: Mapping[str, bytes], executable: frozenset[str]) -> bytes:
    """Return a tarball; the same files give the same bytes: no times, no owners, one order."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in directories(files):
            member = tarfile.TarInfo(name)
            member.type, member.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(member)
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o755 if name in executable else 0o644
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), mtime=0)


def build(root: Path, cache: Path) -> Path:
    """Write the tarball below `cache`; return its path."""
    info = about(root)
    files = {**tree(root), **dict(sorted(packed(cache).items()))}
    shells = frozenset(name for name in files if name.endswith(".sh"))
    target = cache / "collection" / f"{NAMESPACE}-{NAME}-{info['version']}.tar.gz"
    with whole(target) as partial:
        partial.write_bytes(tarball(described(dict(sorted(files.items())), info), shells))
    return target
