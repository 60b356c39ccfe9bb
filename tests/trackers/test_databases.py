# SPDX-License-Identifier: Apache-2.0
"""Databases that others write, hold locked, damage, or left in the middle of a transaction."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mindscope.ingest import Catalog
from mindscope.ingest.discover import find_runs
from mindscope.reading import open_runs
from mindscope.trackers.database import SUFFIXES

from .mlflow_writing import INSERT
from .packed_logs import unpack

WRITING = Path(__file__).with_name("mlflow_writing.py")
KILLED = """
import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute(sys.argv[2])
database.execute("PRAGMA cache_size = 1")
database.execute("BEGIN")
database.execute("DELETE FROM metrics")
database.execute("INSERT INTO tags SELECT 'big' || rowid, hex(zeroblob(90000)), run_uuid FROM runs")
if sys.argv[3] == "commit":
    database.commit()
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return unpack("mlflow", tmp_path / "base")


@pytest.fixture
def path(base: Path) -> Path:
    return base / "mlflow.db"


def running(catalog: Catalog) -> str:
    return next(id for id, run in catalog.runs.items() if run.name.endswith("/running"))


def live_points(catalog: Catalog, run: str) -> int:
    series = catalog.runs[run].scalars("live")
    return 0 if series is None else len(series.all().step)


def kill_writer(path: Path, mode: str, ending: str) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(path), f"PRAGMA journal_mode = {mode}", ending], check=False)


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_training_at_full_speed_is_read_and_not_disturbed(base: Path, path: Path, mode: str) -> None:
    sqlite3.connect(path).execute(f"PRAGMA journal_mode = {mode}").fetchone()
    catalog, count = Catalog(base), 1500
    catalog.refresh()
    run = running(catalog)
    command = [sys.executable, str(WRITING), str(path), run.rpartition("/")[2], str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as writer:
        counts = set[int]()
        while writer.poll() is None:
            catalog.refresh({str(path)})
            counts.add(live_points(catalog, run))
        _, errors = writer.communicate()
    assert (writer.returncode, errors) == (0, "")
    while live_points(catalog, run) < count:
        catalog.refresh({str(path)})
    assert any(0 < points < count for points in counts)  # it was read in between
    values = open_runs(base)[run].scalars("live")
    assert values.step.tolist() == list(range(count))
    assert values.value.tolist() == [step / 2 for step in range(count)]


def test_nothing_is_made_beside_a_database_in_wal_mode(base: Path, path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode = WAL")
    database.close()
    before = sorted(base.iterdir())
    assert len(open_runs(base)) == 4
    assert sorted(base.iterdir()) == before


def test_new_runs_and_states_are_seen_live(base: Path, path: Path) -> None:
    catalog = Catalog(base)
    catalog.refresh()
    run = running(catalog)
    assert not catalog.runs[run].files[0].is_closed
    with sqlite3.connect(path) as database:
        database.execute("UPDATE runs SET status = 'FAILED', end_time = start_time + 5 WHERE name = 'running'")
        new = "INSERT INTO runs SELECT 'new', 'late', source_type, source_name, entry_point_name, user_id, 'RUNNING', "
        rest = "start_time, NULL, source_version, 'active', NULL, experiment_id, NULL FROM runs WHERE name = 'running'"
        database.execute(new + rest)
        database.execute(INSERT, (1.5, 1_796_000_000_000, "new", 3))
    database.close()
    while not any(id.endswith("/new") for id in catalog.runs):
        catalog.poll()
    assert live_points(catalog, next(id for id in catalog.runs if id.endswith("/new"))) == 1
    assert catalog.runs[run].files[0].is_closed


def test_rows_that_were_deleted_are_read_again(base: Path, path: Path) -> None:
    catalog = Catalog(base)
    catalog.refresh()
    run = next(id for id, store in catalog.runs.items() if store.name.endswith("/first"))
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM metrics WHERE key = 'loss' AND step = 5")
        database.execute(INSERT, (1.5, 1_796_000_000_000, run.rpartition("/")[2], 3))
    database.close()
    catalog.refresh()
    series = catalog.runs[run].scalars("loss")
    assert series is not None
    assert 5 not in series.all().step
    assert len(series.all().step) == 39


def test_a_restart_reads_only_new_rows(base: Path, path: Path, tmp_path: Path) -> None:
    catalog = Catalog(base, tmp_path / "workspace")
    catalog.refresh()
    run = running(catalog)
    catalog.close()
    with sqlite3.connect(path) as database:
        database.execute(INSERT, (1.5, 1_796_000_000_000, run.rpartition("/")[2], 3))
    database.close()
    catalog = Catalog(base, tmp_path / "workspace")
    catalog.refresh()
    assert live_points(catalog, run) == 1
    assert catalog.runs[run].files[0].records == 2
    catalog.close()


def test_an_exclusive_lock_is_named_and_waited_for(base: Path, path: Path) -> None:
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    catalog = Catalog(base)
    catalog.refresh()
    assert [(Path(each.path).name, each.reason.code) for each in catalog.unreadable] == [
        ("mlflow.db", "tracker_database_locked")
    ]
    holder.execute("COMMIT")
    while len(catalog.runs) < 4:
        catalog.poll()
    assert not catalog.unreadable
    holder.execute("BEGIN EXCLUSIVE")
    holder.execute(INSERT, (1.5, 1_796_000_000_000, running(catalog).rpartition("/")[2], 3))
    catalog.refresh({str(path)})
    assert len(catalog.runs) == 4  # runs stay in the list meanwhile
    holder.execute("COMMIT")
    holder.close()
    while not live_points(catalog, running(catalog)):
        catalog.refresh({str(path)})


def test_a_killed_transaction_is_taken_back_in_a_copy(base: Path, path: Path) -> None:
    numbers = len(open_runs(base))
    kill_writer(path, "DELETE", "kill")
    assert (base / "mlflow.db-journal").stat().st_size
    before = path.read_bytes()
    runs = open_runs(base)
    assert len(runs) == numbers
    assert all("loss" in run.tags("scalar") for run in runs.values() if not run.name.endswith("/child"))
    assert {note.code for run in runs.values() for note in run.store.files[0].notes} >= {"tracker_database_copied"}
    assert path.read_bytes() == before


def test_a_log_without_its_index_is_read_in_a_copy(base: Path, path: Path, tmp_path: Path) -> None:
    """As in a directory that is read-only, or in a copy of a training that runs."""
    kill_writer(path, "WAL", "commit")
    copied = tmp_path / "copy"
    copied.mkdir()
    for name in ("mlflow.db", "mlflow.db-wal"):
        shutil.copy(base / name, copied / name)
    runs = open_runs(copied)
    assert len(runs) == 4
    assert not any(run.tags("scalar") for run in runs.values())  # the transaction in the log deleted all
    assert {note.code for run in runs.values() for note in run.store.files[0].notes} == {"tracker_database_copied"}
    assert sorted(path.name for path in copied.iterdir()) == ["mlflow.db", "mlflow.db-wal"]


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 60_000)


@pytest.mark.parametrize("damage", [cut, overwrite])
def test_a_damaged_database_is_named(base: Path, path: Path, damage: Callable[[Path], None]) -> None:
    damage(path)
    discovery = find_runs(base)
    runs = open_runs(base)
    reasons = [each.reason for each in discovery.unreadable]
    reasons += [damage.detail for run in runs.values() for damage in run.damages]
    assert {reason.code for reason in reasons} == {"tracker_database_damaged"}


def test_databases_of_other_programs_are_no_runs(tmp_path: Path) -> None:
    for number, suffix in enumerate(SUFFIXES):
        with sqlite3.connect(tmp_path / f"{number}{suffix}") as database:
            database.execute("CREATE TABLE metrics (name TEXT, value REAL)")
        database.close()
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("no database" * 100)
    discovery = find_runs(tmp_path)
    assert not discovery.runs
    assert not discovery.unreadable


def test_an_empty_database_of_mlflow_is_named(tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").touch()
    assert [each.reason.code for each in find_runs(tmp_path).unreadable] == ["logs_of_mlflow"]
