# SPDX-License-Identifier: Apache-2.0
"""Session starts, which ``purge_step`` of PyTorch's and tensorboardX's writers makes, hide older points."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindscope.ingest import file_segment as segment_module
from mindscope.reading import inspect_run, open_run
from mindscope.server.statistics.query import compute_statistics
from mindscope.server.statistics.schema import StatisticsQuery
from mindscope.server.tags.query import summarize_tags
from mindscope.server.tags.schema import TagsQuery
from mindscope.types import Kind
from tests.event_log import (
    TENSORBOARD_NAME,
    append,
    content,
    load,
    scalar_points,
    tensorboard_event,
    tensorboard_version,
    visible_steps,
)

from .cached import opened, sealing_at_once
from .streams import loader_of

TAGS = ("loss", "val")

START = st.tuples(st.just("start"), st.integers(0, 9))
POINT = st.tuples(st.sampled_from(TAGS), st.integers(1, 4))
Session = list[tuple[str, int]]
FILES = st.tuples(
    st.lists(POINT | START, max_size=12),
    st.lists(st.tuples(START, st.lists(POINT | START, max_size=12)).map(lambda file: [file[0], *file[1]]), max_size=3),
).map(lambda files: [files[0], *files[1]])


def record(step: int, wall_time: float, tag: str) -> bytes:
    """A session start, or a scalar whose value is its wall time."""
    if tag == "start":
        return tensorboard_event(step, wall_time=wall_time, session_log={"status": 1})
    return tensorboard_event(step, {"tag": tag, "simple_value": wall_time}, wall_time=wall_time)


def records(files: Sequence[Session]) -> list[list[bytes]]:
    """A training in several files: points that go on by some steps, and starts that go back by some steps."""
    step, wall_time, written = 0, 1000.0, list[list[bytes]]()
    for session in files:
        written.append([tensorboard_version()])
        for tag, distance in session:
            step = max(step - distance, 0) if tag == "start" else step + distance
            wall_time += 1
            written[-1].append(record(step, wall_time, tag))
    return written


def write(directory: Path, files: Sequence[Session]) -> None:
    for number, file in enumerate(records(files)):
        (directory / TENSORBOARD_NAME.format(number)).write_bytes(b"".join(file))


def tensorboard_points(directory: Path) -> dict[str, list[tuple[int, float]]]:
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    theirs = accumulators.EventAccumulator(str(directory), size_guidance={"scalars": 0}).Reload()
    points = {tag: theirs.Scalars(tag) for tag in theirs.Tags()["scalars"]}
    return {tag: [(event.step, event.value) for event in points.get(tag, ())] for tag in TAGS}


@pytest.mark.framework
@settings(max_examples=60, deadline=None)
@given(FILES)
def test_visible_points_are_those_of_tensorboard(files: list[Session]) -> None:
    with tempfile.TemporaryDirectory() as path:
        write(Path(path), files)
        store = load(Path(path))
        assert {tag: scalar_points(store, tag) for tag in TAGS} == tensorboard_points(Path(path))
        count = sum(tag != "start" for session in files for tag, _ in session)
        assert sum(len(scalar_points(store, tag, overwritten=True)) for tag in TAGS) == count


@settings(max_examples=60, deadline=None)
@given(FILES, st.integers(1, 200), st.booleans())
def test_a_growing_and_a_cached_run_have_the_same_points(files: list[Session], portion: int, reopens: bool) -> None:
    with tempfile.TemporaryDirectory() as path, sealing_at_once(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_module, "CHUNK_BYTES", 64)
        base, workspace = Path(path) / "base", Path(path) / "workspace"
        (base / "run").mkdir(parents=True)
        (base / "run" / TENSORBOARD_NAME.format(0)).touch()
        loader = loader_of(base / "run")
        for number, file in enumerate(records(files)):
            data = b"".join(file)
            for start in range(0, len(data), portion):
                append(base / "run" / TENSORBOARD_NAME.format(number), data[start : start + portion])
                if number == 0:
                    loader.read_all()
                    [each.visible_parts() for each in loader.store.series.values()]
            if reopens:
                with opened(base, workspace):
                    pass
        want = content(load(base / "run"))
        if len(files) == 1:
            assert content(loader.store) == want
        with opened(base, workspace) as catalog:
            assert content(catalog.run("run")) == want


def test_a_start_in_a_new_file_reaches_series_without_new_points(tmp_path: Path) -> None:
    old, new = (tmp_path / TENSORBOARD_NAME.format(number) for number in range(2))
    append(old, tensorboard_version() + b"".join(record(step, step, tag) for step in range(9) for tag in TAGS))
    with opened(tmp_path, tmp_path / "workspace") as catalog:
        series = catalog.run(".").scalars("val")
        assert series is not None
        before = series.version, series.visible_parts().prefix_id
        append(new, tensorboard_version() + record(4, 100.0, "start") + record(6, 101.0, "loss"))
        catalog.refresh()
        assert visible_steps(catalog.run("."), "val") == [0, 1, 2, 3]
        assert visible_steps(catalog.run("."), "loss") == [0, 1, 2, 3, 6]
        assert series.hidden().overwritten == 5
        assert series.version > before[0]
        assert series.visible_parts().prefix_id is not before[1]
        new.unlink()
        catalog.refresh()
        assert visible_steps(catalog.run("."), "val") == [*range(9)]


def test_points_that_another_writer_adds_after_a_start_stay_visible(tmp_path: Path) -> None:
    first = [record(step, 10.0 * step, "loss") for step in range(6)]
    second = [record(2, 35.0, "start"), record(5, 36.0, "val")]
    for number, file in enumerate((first, second)):
        append(tmp_path / TENSORBOARD_NAME.format(number), tensorboard_version() + b"".join(file))
    assert visible_steps(load(tmp_path)) == [0, 1, 4, 5]


def test_wall_times_of_the_user_hide_no_points_after_the_start(tmp_path: Path) -> None:
    points = [record(step, 0.5 * step, "loss") for step in range(6)]  # seconds of a simulation
    data = tensorboard_version() + record(0, 1e9, "start") + b"".join(points)
    append(tmp_path / TENSORBOARD_NAME.format(0), data)
    assert visible_steps(load(tmp_path)) == [*range(6)]


@pytest.mark.parametrize("status", [0, 2, 3])
def test_other_session_logs_hide_nothing(tmp_path: Path, status: int) -> None:
    points = b"".join(record(step, step, "loss") for step in range(6))
    log = tensorboard_event(2, wall_time=9.0, session_log={"status": status})
    append(tmp_path / TENSORBOARD_NAME.format(0), tensorboard_version() + points + log)
    assert visible_steps(load(tmp_path)) == [*range(6)]


def test_hyperparameters_and_layouts_outlive_a_start(tmp_path: Path) -> None:
    content_of = {"plugin_name": "hparams", "content": b""}
    hparams: dict[str, Any] = {"tag": "_hparams_/experiment", "metadata": {"plugin_data": content_of}}
    old = tensorboard_event(0, hparams, {"tag": "loss", "simple_value": 1.0}, wall_time=1.0)
    for number, data in enumerate((old, record(0, 2.0, "start"))):
        append(tmp_path / TENSORBOARD_NAME.format(number), tensorboard_version() + data)
    store = load(tmp_path)
    assert visible_steps(store) == []
    series = store.references(Kind.HPARAMS, "_hparams_/experiment")
    assert series is not None
    assert len(series.visible()) == 1


def write_gap(directory: Path) -> None:
    """A log as tensorboardX writes it with ``purge_step=100`` for a training that goes on at step 200."""
    histogram = {"num": 1.0, "bucket_limit": [1.0], "bucket": [1.0]}
    old = [record(step, 1.0, "loss") for step in range(0, 151, 10)]
    old += [record(step, 2.0, "val") for step in range(0, 121, 40)]
    old.append(tensorboard_event(120, {"tag": "h", "histo": histogram}, wall_time=2.0))
    new = [record(100, 3.0, "start"), *(record(step, 4.0, "loss") for step in range(200, 251, 10))]
    for number, file in enumerate((old, new)):
        append(directory / TENSORBOARD_NAME.format(number), tensorboard_version() + b"".join(file))


def test_a_start_hides_all_kinds_and_python_shows_all_on_request(tmp_path: Path) -> None:
    write_gap(tmp_path)
    run = open_run(tmp_path)
    assert [len(run.scalars(tag)) for tag in TAGS] == [16, 3]
    assert [len(run.scalars(tag, overwritten=True)) for tag in TAGS] == [22, 4]
    assert len(run.histograms("h")) == 0
    assert len(run.histograms("h", overwritten=True)) == 1
    reports = {tag.tag: tag for tag in inspect_run(run).tags}
    assert (reports["loss"].points, reports["loss"].overwritten, reports["loss"].last_step) == (16, 6, 250)
    assert (reports["h"].points, reports["h"].overwritten, reports["h"].last_step) == (0, 1, None)


def test_the_server_answers_for_tags_whose_points_are_all_hidden(tmp_path: Path) -> None:
    append(tmp_path / TENSORBOARD_NAME.format(0), tensorboard_version() + record(5, 1.0, "loss"))
    append(tmp_path / TENSORBOARD_NAME.format(1), tensorboard_version() + record(0, 2.0, "start"))
    with opened(tmp_path, tmp_path / "workspace") as catalog:
        [tag] = summarize_tags(catalog, TagsQuery(runs=["."], kind=Kind.SCALAR)).tags
        assert (tag.points, tag.last) == (0, None)
        query = StatisticsQuery(runs=["."], tags=["loss"])
        assert compute_statistics(catalog, query).series == []
