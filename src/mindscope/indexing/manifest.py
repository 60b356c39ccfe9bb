# SPDX-License-Identifier: Apache-2.0
"""The manifest of an index: which Parquet files make a whole set, and of which state of the runs.

    PLACE/cache/NAME/index/manifest.json            the newest generation
    PLACE/cache/NAME/index/manifest-000002.json     each of the last generations
    PLACE/cache/NAME/index/scalars/run_bucket=1a/part-HASH.parquet

A generation is published by renaming its file, after all files that it names are complete. Files that no longer belong
to one of the last ``GENERATIONS`` are deleted, so a reader may finish while the next one is published.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mindscope.store.cache import cache_folder

FORMAT = 1
GENERATIONS = 2
_NEWEST = "manifest.json"
_FILE = "scalars/run_bucket={}/part-{}.parquet"


@dataclass(frozen=True, slots=True)
class Part:
    """A Parquet file with the scalars of ``runs``, which are fingerprints by id; no file if ``rows`` is 0.

    ``log_bytes`` is the size of the logs of these runs.
    """

    bucket: str
    name: str
    runs: Mapping[str, str]
    log_bytes: int
    rows: int = 0

    @property
    def file(self) -> str:
        """Path of the file below the folder of the index."""
        return _FILE.format(self.bucket, self.name)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One generation of an index, in ``folder``."""

    folder: Path
    generation: int = 0
    parts: tuple[Part, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """The Parquet files of this generation."""
        return tuple(self.folder / part.file for part in self.parts if part.rows)

    @property
    def rows(self) -> int:
        """Number of points."""
        return sum(part.rows for part in self.parts)


def index_folder(directory: str | Path, base: str) -> Path:
    """Return the folder of the index of a base directory, whose path is resolved."""
    return cache_folder(Path(directory), base) / "index"


def read_manifest(folder: Path) -> Manifest:
    """Return the newest generation in the folder of an index; generation 0 without parts if there is none."""
    try:
        content: dict[str, Any] = json.loads((folder / _NEWEST).read_bytes())
        if content["format"] == FORMAT:
            return Manifest(folder, int(content["generation"]), tuple(Part(**part) for part in content["parts"]))
    except (OSError, KeyError, TypeError, ValueError):
        pass
    return Manifest(folder)


def publish(manifest: Manifest) -> None:
    """Make a generation the newest one, and delete files of those before the last ones. Raises OSError."""
    folder = manifest.folder
    files = [part.file for part in manifest.parts if part.rows]
    content = {"format": FORMAT, "generation": manifest.generation, "rows": manifest.rows, "files": files}
    text = json.dumps({**content, "parts": [asdict(part) for part in manifest.parts]}, separators=(",", ":"))
    for name in (f"manifest-{manifest.generation:06d}.json", _NEWEST):
        unfinished = folder / f"{name}.tmp"
        unfinished.write_text(text)
        os.replace(unfinished, folder / name)  # noqa: PTH105 (it is atomic)
    _remove_others(folder, _last_files(folder, manifest.generation))


def _last_files(folder: Path, generation: int) -> set[str]:
    """Return the files of the last generations, and delete the manifests of all others."""
    kept = set[str]()
    for path in folder.glob("manifest-*.json"):
        if int(path.stem.partition("-")[2]) > generation - GENERATIONS:
            kept.update(json.loads(path.read_bytes())["files"])
        else:
            path.unlink()
    return kept


def _remove_others(folder: Path, kept: Iterable[str]) -> None:
    for path in set(folder.glob(_FILE.format("*", "*"))) - {folder / file for file in kept}:
        path.unlink(missing_ok=True)
