"""Archives with the same bytes at any time and on any machine."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from dist.whole import whole

FIRST_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def tar_gz(target: Path, members: Mapping[str, bytes], executable: str = "/bin/") -> None:
    """Write `members` (name -> content), sorted, owned by root, without dates; those below `executable` can be run."""
    with (
        whole(target) as partial,
        partial.open("wb") as raw,
        gzip.GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name in sorted(members):
            entry = tarfile.TarInfo(name)
            entry.size = len(members[name])
            entry.mode = 0o755 if executable in name else 0o644
            archive.addfile(entry, io.BytesIO(members[name]))


def zip_file(target: Path, members: Mapping[str, bytes]) -> None:
    """Write `members`, sorted, without dates, and as they are: not every Python compresses to the same bytes."""
    with whole(target) as partial, zipfile.ZipFile(partial, "w") as archive:
        for name in sorted(members):
            archive.writestr(zipfile.ZipInfo(name, FIRST_ZIP_DATE), members[name])
