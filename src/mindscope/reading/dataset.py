# SPDX-License-Identifier: Apache-2.0
"""Exports the scalars of many runs as one Parquet dataset that DuckDB, Polars and Spark read as a table."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import RunNotFoundError
from mindscope.ingest.discover import Discovery, Finder, FoundRun
from mindscope.ingest.run_loader import RunLoader
from mindscope.reading.open import directory_of
from mindscope.reading.run import Run
from mindscope.table.frames import pyarrow_module

BUCKETS = 64
"""Directories of a dataset. Many small files make every engine slow, so that runs share a file."""
_FORMAT = 2
"""Grows with every change of the files."""
_ROWS = 1 << 20
"""Rows of a row group, and of what is in memory."""
_FILE, _UNFINISHED = "part-{}.parquet", ".part-{}"


@dataclass(frozen=True, slots=True)
class DatasetReport:
    """The files of a dataset: written by this export, and kept because their runs have not changed.

    ``problems`` are directories and files that could not be read.
    """

    written: tuple[Path, ...]
    kept: tuple[Path, ...]
    problems: tuple[str, ...]


def export_dataset(
    base: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    tags: Sequence[str] = (),
    overwritten: bool = False,
    follow_links: bool = False,
) -> DatasetReport:
    """Write the scalars of all runs below ``base`` as a Parquet dataset below ``target``.

    Its files are ``scalars/bucket=NN/part-HASH.parquet``, where the name of a run decides its bucket. Their columns are
    run, tag (string), step (int64), wall_time (seconds since 1970) and value (float64), sorted by run, tag and step.
    Exporting again reads and writes only buckets whose runs have changed, and replaces their files in the end.

    Args:
        base: directory of the runs, at any depth.
        target: directory of the dataset; created if needed.
        tags: patterns with ``*`` and ``?``; empty for all tags.
        overwritten: also export points that a restarted training replaced.
        follow_links: also open links that lead out of ``base``.

    Raises:
        RunNotFoundError: ``base`` is no directory, or there is no run below it.
        MissingPackageError: pyarrow is not installed.
        OSError: writing failed; the files of an earlier export stay as they were.
    """
    return export_discovery(find_below(base, follow_links), target, tags=tags, overwritten=overwritten)


def find_below(base: str | os.PathLike[str], follow_links: bool = False) -> Discovery:
    """Return the runs below a directory. Raises RunNotFoundError if there is none."""
    found = Finder(directory_of(base), follow_links).find()
    if not found.runs:
        raise RunNotFoundError(f"{base} holds no run at any depth; give the directory that a training wrote")
    return found


def export_discovery(
    found: Discovery, target: str | os.PathLike[str], *, tags: Sequence[str] = (), overwritten: bool = False
) -> DatasetReport:
    """Write the scalars of runs that were found, as ``export_dataset`` does."""
    pyarrow_module()
    buckets: dict[int, list[FoundRun]] = defaultdict(list)
    for run in found.runs.values():
        buckets[_bucket(run.id)].append(run)
    files: dict[Path, bool] = {}  # by path, whether it is new; none of the earlier ones changes before all are written
    for number, runs in sorted(buckets.items()):
        runs.sort(key=lambda run: run.id)
        name = _FILE.format(_digest(runs, (tuple(tags), overwritten)))
        path = Path(target) / "scalars" / f"bucket={number:02d}" / name
        if path.exists() or write_tables(_unfinished(path), scalar_tables(_opened(runs), tags, overwritten)):
            files[path] = not path.exists()
    for path, is_new in files.items():
        if is_new:
            _unfinished(path).replace(path)
    if files:
        _remove_others(Path(target), set(files))
    written = tuple(path for path, is_new in files.items() if is_new)
    kept = tuple(path for path, is_new in files.items() if not is_new)
    return DatasetReport(written, kept, tuple(map(str, found.unreadable)))


def _bucket(run: str) -> int:
    return int.from_bytes(hashlib.sha256(_bytes(run)).digest()[:4], "big") % BUCKETS


def _digest(runs: Iterable[FoundRun], options: object) -> str:
    """Return a name for the content of a file: of its runs, their event files and the options."""
    digest = hashlib.sha256(repr((_FORMAT, options)).encode())
    for run in runs:
        digest.update(_bytes(run.id) + b"\0")
        for file in run.files:
            facts = Path(file.path).stat() if os.path.exists(file.path) else None  # noqa: PTH110
            digest.update(repr(facts and (file.name, facts.st_size, facts.st_mtime_ns)).encode())
    return digest.hexdigest()[:32]


def _bytes(run: str) -> bytes:
    return run.encode("utf-8", "surrogatepass")


def write_tables(path: Path, tables: Iterator[Any]) -> int:
    """Write a Parquet file with a row group for each table; returns the number of rows, 0 without a file."""
    parquet = pyarrow_module("pyarrow.parquet")
    first = next(tables, None)
    if first is None:
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = 0
    try:
        with parquet.ParquetWriter(path, first.schema, compression="zstd", use_dictionary=["run", "tag"]) as writer:
            for table in chain([first], tables):
                writer.write_table(table, row_group_size=2 * _ROWS)
                rows += table.num_rows
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return rows


def _unfinished(path: Path) -> Path:
    return path.with_name(_UNFINISHED.format(path.name))


class _Piece(NamedTuple):
    """Points of a scalar of a run, shape (n,)."""

    run: str
    tag: str
    step: NDArray[Any]
    wall_time: NDArray[Any]
    value: NDArray[Any]


def scalar_tables(
    runs: Iterable[tuple[str, Run]], tags: Sequence[str] = (), overwritten: bool = False
) -> Iterator[Any]:
    """Yield tables of about ``_ROWS`` points of runs with their ids, so that memory stays bounded.

    Their columns are those of ``export_dataset``.
    """
    pieces: list[_Piece] = []
    for piece in _pieces(runs, tags, overwritten):
        pieces.append(piece)
        if sum(piece.step.size for piece in pieces) >= _ROWS:
            yield _table(pieces)
            pieces = []
    if pieces:
        yield _table(pieces)


def _opened(runs: Iterable[FoundRun]) -> Iterator[tuple[str, Run]]:
    for found in runs:
        loader = RunLoader(found)
        loader.read_all()
        yield found.id, Run(loader.store, loader.read_all)


def _pieces(runs: Iterable[tuple[str, Run]], tags: Sequence[str], overwritten: bool) -> Iterator[_Piece]:
    for id, run in runs:
        for tag in sorted(run.tags("scalar")):
            if tags and not any(fnmatchcase(tag, pattern) for pattern in tags):
                continue
            scalars = run.scalars(tag, overwritten=overwritten)
            for start in range(0, len(scalars), _ROWS):
                part = slice(start, start + _ROWS)
                yield _Piece(id, tag, scalars.step[part], scalars.wall_time[part], scalars.value[part])


def _table(pieces: Sequence[_Piece]) -> Any:
    pyarrow = pyarrow_module()
    lengths = [piece.step.size for piece in pieces]
    names = {
        "run": _repeated([piece.run for piece in pieces], lengths),
        "tag": _repeated([piece.tag for piece in pieces], lengths),
    }
    numbers = {
        "step": np.concatenate([piece.step for piece in pieces]),
        "wall_time": np.concatenate([piece.wall_time for piece in pieces]),
        "value": np.concatenate([piece.value for piece in pieces]).astype(np.float64),
    }
    return pyarrow.table({**names, **numbers})


def _repeated(names: Sequence[str], lengths: Sequence[int]) -> Any:
    """Return a column of strings that repeats each name as often as its length says."""
    pyarrow = pyarrow_module()
    indices = np.repeat(np.arange(len(names), dtype=np.int32), lengths)
    return pyarrow.DictionaryArray.from_arrays(indices, [_readable(name) for name in names]).cast(pyarrow.string())


def _readable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def _remove_others(target: Path, files: Collection[Path]) -> None:
    """Remove files of earlier exports, and those that a killed export left."""
    for pattern in (_FILE, _UNFINISHED):
        for path in target.glob(f"scalars/bucket=*/{pattern.format('*')}"):
            if path not in files:
                path.unlink(missing_ok=True)
