# SPDX-License-Identifier: Apache-2.0
"""Recognizes graph files, profiles and embeddings by their names: a directory that holds one is a run."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from mindscope.formats.json_trace_files import SUFFIXES, TraceKind, trace_kind
from mindscope.formats.profile_file_names import is_device_table
from mindscope.formats.projector_files import CONFIG_NAME
from mindscope.formats.regular_files import file_head
from mindscope.ingest.debugging_data import (
    DEBUGGING_DATA,
    DEBUGGING_FILES,
    dump_of_graph,
    recognize_debugging_file,
    run_of,
)
from mindscope.ingest.file_names import readable
from mindscope.natural_order import natural_key
from mindscope.store.contents import Content, ContentFacts, ContentKind

Found = tuple[ContentKind, str]
"""Kind and path of a directory or file."""

_CANN = re.compile(r"PROF_\d{6}_\d{17}_[A-Z]+", re.ASCII)
_CLUSTER = "cluster_analysis_output"
_PROFILER_FILE = re.compile(
    r"(profiler_info|(ascend|gpu|cpu)_(timeline|op_detail|op_type|ms_memory)|aicore_intermediate|output_op_compute_time|"
    r"output_timeline|step_trace|pipeline_profiling|minddata|cpu_op|gpu_(activity|op|framework)|framework_raw|"
    r"dynamic_shape_info|memory_usage|operator_memory|parallel_strategy|flops|hccl_raw|pynative_op|output_data_preprocess|"
    r"device_queue|dataset_iterator).*\.(csv|json|txt|pb)",
    re.ASCII,
)
"""Files that MindSpore before 2.3 writes into a directory ``profiler``."""
_TORCH_TRACE = re.compile(r".*\.pt\.trace\.json(\.gz)?", re.ASCII)
_TRACE_KINDS = {TraceKind.TORCH: ContentKind.TORCH_PROFILE, TraceKind.CHROME: ContentKind.CHROME_PROFILE}
_MOST_OTHER_JSON = 256
"""Files of a directory that are opened and are no traces: a data set may have a file for each of its images."""
_YOUNG_NS = 60_000_000_000
"""A file that is empty for longer stays empty."""
_TENSORFLOW_PROFILE = re.compile(r"/plugins/profile/[^/]+$")
_OTHER_PROTOBUF = re.compile(r"(memory_usage_\d+|saved_model|keras_metadata|fingerprint|.*\.xplane)\.pb", re.ASCII)
_ASCEND_DATABASE = re.compile(
    r"(ascend_(mindspore|pytorch)_profiler(_\d+)?|analysis|communication_analyzer)\.db", re.ASCII
)
_CONTENT_NAME = re.compile(
    r".*\.json(\.gz)?|.*\.(xplane\.pb|pb|onnx|sqlite3?|db|pickle|pkl|pt)|{_ASCEND_DATABASE.pattern}|"
    rf"{re.escape(CONFIG_NAME)}|{_PROFILER_FILE.pattern}",
    re.ASCII,
)
_SQLITE_START = b"SQLite format 3\x00"
_PICKLE_START = b"\x80"
_HEAD = 1 << 18
_GRAPH_STARTS = (b"\x08", b"\x0a", b"\x12")
"""A ModelProto of MindSpore begins with its version or domain, a GraphProto with its first node."""


_MOST_SIZED = 63
"""Contents of a run whose sizes are added; of more logs a discovery lists only the first."""


class RunContents(NamedTuple):
    """Graph files, profiles and debugging data of a run, and their paths."""

    contents: tuple[Content, ...] = ()
    paths: tuple[str, ...] = ()


NO_CONTENTS = RunContents()


def is_content_name(name: str) -> bool:
    """Return whether a file of this name may be a graph file, a profile or a part of one, or lists embeddings."""
    return _CONTENT_NAME.fullmatch(name) is not None


def recognize_profile(directory: str, names: Iterable[str]) -> ContentKind | None:
    """Return the profile kind of ``directory``, which contains ``names``; None if it is not a profile."""
    own = os.path.basename(directory)  # noqa: PTH119 (ten thousand times)
    if own.endswith(("_ascend_ms", "_ascend_pt")) or own == _CLUSTER or "ASCEND_PROFILER_OUTPUT" in names:
        return ContentKind.ASCEND_PROFILE
    if _CANN.fullmatch(own) or "mindstudio_profiler_output" in names:
        return ContentKind.CANN_PROFILE
    is_part = _PROFILER_FILE.fullmatch if own.startswith("profiler") else is_device_table
    is_old = any(is_part(name) for name in names)
    return ContentKind.MINDSPORE_PROFILE if is_old else None


def recognize_file(entry: os.DirEntry[str]) -> Found | None:
    """Return the kind of a file by its name; where others have such names too, also by its first bytes."""
    name = entry.name
    if ".pt.trace.json" in name and _TORCH_TRACE.fullmatch(name) and _is_file(entry):
        return ContentKind.TORCH_PROFILE, entry.path
    if name.endswith(".xplane.pb") and _is_file(entry):
        return ContentKind.XLA_PROFILE, entry.path
    if name == CONFIG_NAME and _is_file(entry):
        return ContentKind.EMBEDDING, entry.path
    if name.endswith((".sqlite", ".sqlite3", ".db")) and _holds(
        entry, _SQLITE_START, b"StringIds", b"CUPTI_ACTIVITY_KIND_"
    ):
        return ContentKind.NSIGHT_PROFILE, entry.path
    if name.endswith(".db") and _ASCEND_DATABASE.fullmatch(name) and _holds(entry, _SQLITE_START, b"TABLE"):
        return ContentKind.ASCEND_PROFILE, entry.path
    if name.endswith((".pickle", ".pkl", ".pt")) and _holds(entry, _PICKLE_START, b"segments", b"device_traces"):
        return ContentKind.MEMORY_PROFILE, entry.path
    if (
        name.endswith((".pb", ".onnx"))
        and not _OTHER_PROTOBUF.fullmatch(name)
        and not entry.is_symlink()
        and _begins_a_graph(entry)
    ):
        return ContentKind.GRAPH_FILE, entry.path
    return recognize_debugging_file(entry)


class TraceSearch:
    """Finds JSON traces among the files of a directory by their content."""

    def __init__(self) -> None:
        self._others = 0
        self.is_pending = False
        """Whether a file is empty since its program only begins to write it."""

    def recognize(self, entry: os.DirEntry[str]) -> Found | None:
        """Return the kind of trace that a file is; None for anything else, and after many others."""
        if not entry.name.endswith(SUFFIXES) or self._others >= _MOST_OTHER_JSON:
            return None
        try:
            kind = trace_kind(Path(entry.path))
            self.is_pending |= kind is None and _is_young_and_empty(entry)
        except OSError:
            kind = None
        self._others += kind is None
        return None if kind is None else (_TRACE_KINDS[kind], entry.path)


def _is_young_and_empty(entry: os.DirEntry[str]) -> bool:
    state = entry.stat()
    return state.st_size == 0 and time.time_ns() - state.st_mtime_ns < _YOUNG_NS


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Return whether it is a file or leads to one; no circle of links does."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _holds(entry: os.DirEntry[str], start: bytes, *texts: bytes) -> bool:
    """Return whether a file begins with ``start``, and has one of the texts near its beginning.

    Nothing of it is run.
    """
    try:
        if not entry.is_file(follow_symlinks=False):
            return False
        head = file_head(entry.path, len(start))
        return head == start and any(text in file_head(entry.path, len(start) + _HEAD) for text in texts)
    except OSError:
        return False


def _begins_a_graph(entry: os.DirEntry[str]) -> bool:
    """Return whether a file has the first byte of a graph. Any does for ``.onnx``: fields may be in any order."""
    try:
        head = file_head(entry.path, 1) if entry.is_file(follow_symlinks=False) else b""
        return head in _GRAPH_STARTS or (head != b"" and entry.name.endswith(".onnx"))
    except OSError:
        return False


def contents_by_run(
    base: str, found: Mapping[str, Iterable[Found]], modified_ns: Mapping[str, int], with_events: Collection[str]
) -> dict[str, RunContents]:
    """Return the contents found in each directory, by the directory of the run that they belong to.

    A profile directory belongs to its parent directory; TensorFlow's plugins/profile/TIME belongs to the directory
    above plugins. Contents of a profile belong to the profile, graphs of a dump to the run of the dump.
    ``modified_ns``: times of all directories. ``with_events``: directories with event files.
    """
    by_run: dict[str, list[Found]] = {}
    profiles = {
        path for directory, value in found.items() for kind, path in value
        if path == directory and kind not in DEBUGGING_DATA
    }  # fmt: skip
    roots = {(kind, path) for each in found.values() for kind, path in each if kind in DEBUGGING_DATA}
    for kind, path in roots:
        run = run_of(kind, path, base, with_events)
        by_run.setdefault(run, []).append((kind, path if len(path) >= len(base) else base))
    for each in found.values():
        for kind, path in each:
            if kind in DEBUGGING_DATA:
                continue
            above = os.path.dirname(path)  # noqa: PTH120
            if any(_profiles_around(above, profiles, base)):
                continue
            dump = dump_of_graph(above) if kind is ContentKind.GRAPH_FILE else ""
            is_dumped = (ContentKind.MINDSPORE_DUMP, dump) in roots
            owner = (
                run_of(ContentKind.MINDSPORE_DUMP, dump, base, with_events) if is_dumped else _owner(base, above, kind)
            )
            by_run.setdefault(owner, []).append((kind, path))
    directories = {path for kind, path in roots if kind not in DEBUGGING_FILES}
    versions = _directory_versions({*profiles, *directories}, modified_ns, base)
    return {
        run: RunContents(_summarize(run, value, versions), tuple(path for _, path in value))
        for run, value in by_run.items()
    }


def _directory_versions(profiles: Collection[str], modified_ns: Mapping[str, int], base: str) -> dict[str, int]:
    """Return a version by profile directory, which changes when files in it are added, removed or replaced."""
    versions = dict.fromkeys(profiles, 0)
    for directory, modified in modified_ns.items() if profiles else ():
        for profile in _profiles_around(directory, profiles, base):
            versions[profile] += modified
    return versions


def file_version(path: str) -> int:
    """Changes when a file is written or replaced; 0 if there is none."""
    try:
        return version_of(os.stat(path))  # noqa: PTH116 (ten thousand times)
    except OSError:
        return 0


def content_facts(paths: Sequence[str]) -> ContentFacts:
    """Return the size and time of the contents with these paths, which may be gone."""
    stats = [stat for path in paths if (stat := _stat(path)) is not None]
    is_sized = len(paths) <= _MOST_SIZED and all(S_ISREG(stat.st_mode) for stat in stats)
    return ContentFacts(
        sum(stat.st_size for stat in stats) if is_sized else None, max((stat.st_mtime for stat in stats), default=None)
    )


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 (ten thousand times)
    except OSError:
        return None


def version_of(stat: os.stat_result) -> int:
    """Return the ``file_version`` of a file with this stat."""
    return stat.st_mtime_ns + stat.st_ctime_ns + stat.st_size


def _profiles_around(directory: str, profiles: Collection[str], base: str) -> Iterator[str]:
    """Yield ``directory`` if it is a profile, and profiles above it, up to the base."""
    above = ""
    while len(directory) >= len(base) and directory != above:
        if directory in profiles:
            yield directory
        above, directory = directory, os.path.dirname(directory)  # noqa: PTH120


def _owner(base: str, directory: str, kind: ContentKind) -> str:
    """Return the run of the contents of ``directory``, which is above the base if the base itself is a profile."""
    if kind in (ContentKind.XLA_PROFILE, ContentKind.CHROME_PROFILE):
        directory = _TENSORFLOW_PROFILE.sub("", directory)
    return directory if len(directory) >= len(base) else base


def _summarize(run: str, found: list[Found], versions: Mapping[str, int]) -> tuple[Content, ...]:
    ordered = sorted(found, key=lambda each: (each[0].value, natural_key(each[1])))
    groups = ((kind, [path for _, path in each]) for kind, each in groupby(ordered, key=lambda each: each[0]))
    return tuple(
        Content(
            kind,
            readable(os.path.relpath(paths[0], run)),
            len(paths),
            sum(versions[path] if path in versions else file_version(path) for path in paths),
        )
        for kind, paths in groups
    )
