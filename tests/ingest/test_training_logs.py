# SPDX-License-Identifier: Apache-2.0
"""A directory with logs only is a run; source code, other runs and other programs' logs make none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import mindscope
from mindscope.debug.open import find_debug_data
from mindscope.ingest import Catalog, find_runs
from mindscope.ingest.discover import Finder
from mindscope.store.contents import ContentKind
from tests.event_log import MINDSPORE_NAME, version

EVENTS = MINDSPORE_NAME.format(1)
LINE = b"epoch 1 loss 0.5\n"


def write(base: Path, *names: str) -> Path:
    for name in names:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_bytes(version() if name.endswith(EVENTS) else LINE)
    return base


def logs(base: Path) -> dict[str, list[tuple[str, int]]]:
    """First log and number of logs of runs that have logs only."""
    return {
        run.id: [(each.name, each.count) for each in run.contents]
        for run in find_runs(base).runs.values()
        if any(each.kind is ContentKind.LOG_FILE for each in run.contents)
    }


@pytest.mark.parametrize("name", [
    "slurm-42221.out", "slurm-42_7.err", "train.log", "log.txt", "train_log.txt", "nohup.out", "stdout", "stderr.txt",
    "output.log", "output.log.1", "job.out", "worker_0.log", "train.log.INFO.20240101-120000.7", "127_0_log.out",
])  # fmt: skip
def test_logs_make_a_run(tmp_path: Path, name: str) -> None:
    assert logs(write(tmp_path, f"a/{name}")) == {"a": [(name, 1)]}


@pytest.mark.parametrize("name", [
    "notes.txt", "requirements.txt", "train.txt", "train_images.txt", "data.csv", "out", "a.json", "log", "pip.log",
    "npm-debug.log", "CMakeError.log", "config.log", "build.out", "events.log.gz", "mindscope.8080.log",
    "access.8080.log", "access.log",
])  # fmt: skip
def test_other_files_make_none(tmp_path: Path, name: str) -> None:
    assert find_runs(write(tmp_path, f"a/{name}")).runs == {}


@pytest.mark.parametrize("source", ["train.py", "README.md", "Makefile", "a.ipynb", "pyproject.toml", ".gitignore"])
def test_beside_source_code_only_jobs_count(tmp_path: Path, source: str) -> None:
    write(tmp_path, source, "train.log", "nohup.out", "stderr", "log.txt")
    assert find_runs(tmp_path).runs == {}
    write(tmp_path, "slurm-7.out")
    assert logs(tmp_path) == {".": [("slurm-7.out", 1)]}


@pytest.mark.parametrize(("files", "want"), [
    (["a/x.log", "a/y.out", "b/x.log"], {"a": [("x.log", 2)], "b": [("x.log", 1)]}),
    (["rank_0/stdout.log", "rank_1/stdout.log"], {"rank_0": [("stdout.log", 1)], "rank_1": [("stdout.log", 1)]}),
    (["slurm-1.out", "a/train.log"], {".": [("slurm-1.out", 1)], "a": [("train.log", 1)]}),
    (["t/none_x/attempt_0/0/stdout.log", "t/none_x/attempt_0/1/stderr.log"],
     {"t/none_x": [("attempt_0/0/stdout.log", 2)]}),
    ([f"a/{EVENTS}", "a/train.log", "a/b/c/d/e/f/deep.log"], {}),
    ([f"a/{EVENTS}", "logs/train.log", "rank_0/stdout.log"], {}),
    ([f"a/{EVENTS}", f"b/{EVENTS}", "logs/train.log"], {"logs": [("train.log", 1)]}),
    ([f"summary_dir0/{EVENTS}", f"summary_dir1/{EVENTS}", "logs/worker_0.log"], {}),
    ([f"a/rank_0/{EVENTS}", f"a/rank_1/{EVENTS}", "a/logs/worker_0.log"], {}),
    ([f"a/b/{EVENTS}", "slurm-1.out", "a/train.log"], {}),
    (["a/trace.pt.trace.json", "a/train.log"], {}),
    ([".cache/x.log", "a/.hidden/x.log", "wandb/run-1/logs/debug.log", "node_modules/a/x.log"], {}),
])  # fmt: skip
def test_logs_of_other_runs_make_none(tmp_path: Path, files: list[str], want: dict[str, list[tuple[str, int]]]) -> None:
    assert logs(write(tmp_path, *files)) == want


def test_contents_tell_a_text_from_a_program(tmp_path: Path) -> None:
    write(tmp_path, "a/a.out", "b/empty.log", "c/x.log")
    (tmp_path / "a" / "a.out").write_bytes(b"\x7fELF\2\1\1\0\0\0")
    (tmp_path / "b" / "empty.log").write_bytes(b"")
    (tmp_path / "c" / "x.log").unlink()
    (tmp_path / "c" / "x.log").symlink_to(tmp_path / "b" / "empty.log")
    assert logs(tmp_path) == {"b": [("empty.log", 1)]}


def test_a_log_that_appears_later_makes_a_run_that_an_event_file_takes_over(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    catalog = Catalog(tmp_path)
    assert (catalog.refresh(), dict(catalog.runs)) == (frozenset(), {})
    write(tmp_path, "job/slurm-1.out")
    assert catalog.refresh() == {"job"}
    write(tmp_path, f"job/tb/{EVENTS}")
    catalog.refresh()
    assert list(catalog.runs) == ["job/tb"]


def test_a_growing_log_is_no_other_listing(tmp_path: Path) -> None:
    finder = Finder(write(tmp_path, "job/slurm-1.out"))
    before = finder.find()
    with (tmp_path / "job" / "slurm-1.out").open("ab") as file:
        file.write(LINE)
    assert not finder.has_changed(str(tmp_path / "job"))
    assert finder.find() == before


def test_a_run_of_logs_has_their_state_size_and_time(tmp_path: Path) -> None:
    write(tmp_path, "job/slurm-1.out", "job/slurm-2.out", f"other/{EVENTS}")
    (tmp_path / "other" / EVENTS).write_bytes(b"")
    first, second = tmp_path / "job" / "slurm-1.out", tmp_path / "job" / "slurm-2.out"
    os.utime(first, (1000.0, 1000.0))
    os.utime(second, (5000.0, 5000.0))
    catalog = Catalog(tmp_path)
    catalog.refresh()
    store = catalog.run("job")
    assert (store.size_bytes, store.written_at, store.last_wall_time) == (2 * len(LINE), 5000.0, None)
    assert [store.state(now) for now in (5001.0, 5060.0, 5061.0)] == ["live", "live", "idle"]

    with first.open("ab") as file:
        file.write(LINE)
    os.utime(first, (6000.0, 6000.0))
    assert catalog.refresh([str(first)]) == {"job"}
    assert (store.size_bytes, store.written_at, store.state(6001.0)) == (3 * len(LINE), 6000.0, "live")

    other = catalog.run("other")
    assert (other.size_bytes, other.state(0.0)) == (0, "empty")


def test_the_size_of_a_directory_is_unknown(tmp_path: Path) -> None:
    write(tmp_path, "run/ops_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv", "run/a/train.log")
    store = mindscope.open_run(tmp_path / "run").store
    assert store.contents
    assert (store.size_bytes, store.state(0.0)) == (None, "idle")
    assert store.written_at is not None


def test_sizes_of_more_logs_than_are_listed_are_not_added(tmp_path: Path) -> None:
    write(tmp_path, *(f"job/slurm-{number}.out" for number in range(70)))
    assert mindscope.open_run(tmp_path / "job").store.size_bytes is None


def test_a_run_of_logs_opens_in_python(tmp_path: Path) -> None:
    write(tmp_path, "job/slurm-1.out", "job/.hydra/config.yaml")
    (tmp_path / "job" / ".hydra" / "config.yaml").write_text("lr: 0.5\n")
    run = mindscope.open_run(tmp_path / "job")
    assert [(each.kind.value, each.name) for each in run.store.contents] == [("log_file", "slurm-1.out")]
    runs = mindscope.open_runs(tmp_path)
    assert list(runs) == ["job"]
    assert runs.lineage().to_pandas()["lr"].tolist() == [0.5]


PIPES = (
    "x.pb", "x.onnx", "x.db", "x.sqlite", "x.pkl", "x.log", "x.txt", "x.json", "x.pt.trace.json", "nccl_trace_rank_0",
    "x.xplane.pb", "print.data", "statistic.csv", "dump.json", "params.json", "hparams.yaml", "kernel_details.csv",
)  # fmt: skip


@pytest.mark.parametrize("name", PIPES)
def test_a_pipe_is_never_waited_for(tmp_path: Path, name: str) -> None:
    write(tmp_path, f"run/{EVENTS}")
    os.mkfifo(tmp_path / "run" / name)
    (tmp_path / "pipes").mkdir()
    os.mkfifo(tmp_path / "pipes" / name)
    runs = mindscope.open_runs(tmp_path)
    run = runs["run"]
    assert run.store.contents == ()
    assert run.failures().problems == []
    assert list(run.printed()) == []
    assert list(find_debug_data(run.path)) == []
    assert list(run.profiles()) == []
    assert runs.lineage().to_pandas()["run"].tolist() == list(runs)
