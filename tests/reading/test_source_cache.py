# SPDX-License-Identifier: Apache-2.0
"""The next process has the same table from the cache, and never an outdated or wrong row."""

from __future__ import annotations

import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mindscope.formats import tensorboard_schemas, wire
from mindscope.reading import source_cache
from mindscope.reading.lineage_rows import ScalarChoice
from mindscope.store.run_index import RunIndex, state_record
from tests.event_log import (
    LINEAGE_NAME,
    MINDSPORE_NAME,
    TENSORBOARD_NAME,
    append,
    scalars,
    tensorboard_event,
    tensorboard_version,
    version,
)
from tests.reading.lineage_cache import custom, opened, rewrite_in_place, rows, truth, viewer

OLD = 1_000_000_000


def settings(run: Path, text: str, at: int = OLD, name: str = "params.json") -> None:
    (run / name).write_text(text)
    os.utime(run / name, (at, at))


_recording: list[Counter[str]] = []


def _record_open(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _recording:
        _recording[-1][os.path.basename(str(arguments[0]))] += 1  # noqa: PTH119


sys.addaudithook(_record_open)


@contextmanager
def opened_files() -> Iterator[Counter[str]]:
    """How often this process opens files of each name in the body."""
    _recording.append(Counter())
    try:
        yield _recording[-1]
    finally:
        _recording.clear()


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Three runs; ``a`` and ``b`` have settings."""
    base = tmp_path / "logs"
    for number, name in enumerate("abc"):
        (base / name).mkdir(parents=True)
        append(base / name / LINEAGE_NAME.format(1), custom(x=float(number), note="one"))
    settings(base / "a", '{"lr": 0.5}')
    settings(base / "b", "[1]")
    return base


def index_of(base: Path) -> Path:
    (found,) = (base.parent / "workspace").glob("cache/*/lineage.index")
    return found


def test_the_next_process_reads_no_file(base: Path) -> None:
    with opened_files() as cold:
        want = opened(base)
    assert want == truth(base)
    with opened_files() as warm, viewer(base) as tables:
        assert rows(tables) == want
        (problem,) = tables.view(ScalarChoice()).table.problems
        assert (problem.code, problem.values["file"]) == ("settings_without_names", str(base / "b" / "params.json"))
    assert cold[LINEAGE_NAME.format(1)] > warm[LINEAGE_NAME.format(1)] == 0
    assert cold["params.json"] > warm["params.json"], "which only looks whether it is a trace"


CELLS: dict[str, Any] = {
    "int": 3, "large": 2**200, "float": 1.0, "tiny": 5e-324, "negative_zero": -0.0, "nan": math.nan, "low": -math.inf,
    "bool": True, "text": "a\n\"b\" 学习率 \ud800", "list": [1, 1.0, True, None, "x", [2, [math.inf]]], "empty": [],
}  # fmt: skip


def test_every_type_comes_back(base: Path) -> None:
    settings(base / "c", json.dumps(CELLS))
    session = {"session_start_info": {"hparams": {"opt": {"string_value": "adam"}}, "group_name": "g"}}
    infos = {"experiment": {"metric_infos": [{"name": {"tag": "acc"}}]}}
    events = [
        tensorboard_event(0, {"tag": f"_hparams_/{number}", "metadata": {"plugin_data": {
            "plugin_name": "hparams", "content": wire.encode(tensorboard_schemas.HPARAMS, content)}}})
        for number, content in enumerate((session, infos))
    ]  # fmt: skip
    data = tensorboard_version() + b"".join(events) + tensorboard_event(1, {"tag": "acc", "simple_value": 0.5})
    append(base / "c" / TENSORBOARD_NAME.format(1), data)
    with opened_files() as cold:
        want = opened(base)
    assert {name: want["c"][name] for name in ("int", "float", "negative_zero", "bool", "list")} == {
        "int": "3", "float": "1.0", "negative_zero": "-0.0", "bool": "True",
        "list": "(1, 1.0, True, None, 'x', (2, (inf,)))",
    }  # fmt: skip
    assert (want["c"]["opt"], want["c"]["metric/acc"], want["c"]["fact/session_group"]) == ("'adam'", "0.5", "'g'")
    with opened_files() as warm:
        assert opened(base) == want
    assert cold["params.json"] > warm["params.json"], "which only looks whether it is a trace"


def test_what_changed_between_two_processes_is_read(base: Path) -> None:
    opened(base)
    append(base / "a" / LINEAGE_NAME.format(1), custom(x=7.0))
    settings(base / "b", '{"lr": 1}', OLD + 1)
    settings(base / "c", "lr: 2", name="hparams.yaml")
    got = opened(base)
    assert got == truth(base)
    assert (got["a"]["custom/x"], got["b"]["lr"], got["c"]["lr"]) == ("7.0", "1", "2")
    (base / "b" / "params.json").unlink()
    (base / "d").mkdir()
    append(base / "d" / LINEAGE_NAME.format(1), custom(y=1.0))
    (base / "c" / LINEAGE_NAME.format(1)).unlink()
    got = opened(base)
    assert got == truth(base)
    assert "lr" not in got["b"]


@pytest.mark.parametrize("note", ["two", "more letters", ""])
def test_a_rewritten_event_file_is_read(base: Path, note: str) -> None:
    opened(base)
    path = base / "a" / LINEAGE_NAME.format(1)
    path.write_bytes(custom(x=0.0, note=note))
    got = opened(base)
    assert got["a"]["custom/note"] == repr(note)
    assert opened(base) == truth(base) == got


def test_a_settings_file_of_the_same_moment_is_read_again(base: Path) -> None:
    """A file system has no two times for two writes within a few milliseconds."""
    (base / "a" / "params.json").write_text('{"lr": 0.5}')
    opened(base)
    rewrite_in_place(base / "a" / "params.json", b"0.5", b"0.7")
    assert opened(base)["a"]["lr"] == "0.7"


def test_values_after_the_key_was_made_are_not_lost(base: Path) -> None:
    with viewer(base) as tables:
        before = rows(tables)
    append(base / "a" / MINDSPORE_NAME.format(2), version() + scalars(1, {"loss": 1.0}))
    with viewer(base) as tables:
        assert rows(tables)["a"]["fact/last_step"] == "1"
        assert rows(tables)["a"]["custom/x"] == before["a"]["custom/x"]
    with opened_files() as names:
        assert "custom/note" in opened(base)["a"]
    assert LINEAGE_NAME.format(1) not in names, "saved again, with the key of both files"


def test_a_cut_or_damaged_cache_never_gives_a_wrong_row(base: Path) -> None:
    want = opened(base)
    path = index_of(base)
    whole = path.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:place])
        assert opened(base) == want
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        assert opened(base) == want
    path.write_bytes(whole + b"soup")
    assert opened(base) == want
    assert opened(base) == want
    assert b"soup" not in path.read_bytes()


@pytest.mark.parametrize("body", [b"", b"\n", b"[]\n[]", b'[["metric", "x"]]\n[[], null, {}, []]', b"\xff\n{}",
                                  b'[["nix", "x"]]\n[[1], null, {}, []]', b"[" * 5000 + b"\n1"])  # fmt: skip
def test_an_intact_record_that_makes_no_sense_is_not_used(base: Path, body: bytes) -> None:
    want = opened(base)
    index = RunIndex(index_of(base), str(base), source_cache.FORMAT)
    for id, (state, _) in index.load().items():
        index.put(id, state_record(id, state, body))
    assert opened(base) == want


def test_a_cache_of_another_format_is_replaced(base: Path) -> None:
    want = opened(base)
    path = index_of(base)
    states = RunIndex(path, str(base), source_cache.FORMAT).load()
    RunIndex(path, str(base), source_cache.FORMAT + 1).write(
        {id: (state, body.replace(b"one", b"two")) for id, (state, body) in states.items()}
    )
    assert opened(base) == want
    assert set(RunIndex(path, str(base), source_cache.FORMAT).load()) == {"a", "b", "c"}


def test_a_cache_that_cannot_be_written_costs_only_time(base: Path) -> None:
    workspace = base.parent / "workspace"
    workspace.write_text("no directory")
    assert opened(base) == truth(base)
    workspace.unlink()
    opened(base)
    index_of(base).unlink()
    (folder,) = workspace.glob("cache/*")
    (folder / "lineage.index").mkdir()
    assert opened(base) == truth(base)
    assert opened(base, cache_bytes=1) == truth(base)


def test_a_second_viewer_reads_the_cache_and_does_not_write_it(base: Path) -> None:
    with viewer(base) as first:
        rows(first)
    size = index_of(base).stat().st_size
    with viewer(base) as first:
        want = rows(first)
        settings(base / "c", '{"lr": 9}')
        with viewer(base) as second:
            got = rows(second)
            assert (got["a"], got["c"]["lr"]) == (want["a"], "9")
        assert index_of(base).stat().st_size == size


def test_removed_runs_leave_the_cache(base: Path) -> None:
    opened(base)
    for path in (base / "a").iterdir():
        path.unlink()
    (base / "a").rmdir()
    append(base / "b" / LINEAGE_NAME.format(1), custom(x=2.5))
    opened(base)
    assert set(RunIndex(index_of(base), str(base), source_cache.FORMAT).load()) == {"b", "c"}
