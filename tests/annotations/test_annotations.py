# SPDX-License-Identifier: Apache-2.0
"""People's own data: never lost, never overwritten unseen, never believed when damaged."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from mindscope.annotations import FILE_NAME, AnnotationChange, Annotations
from mindscope.annotations.checksums import checksum_of
from mindscope.annotations.copies import COPY_EVERY_S, copy_path
from mindscope.errors import AnnotationError, StaleRecordError
from mindscope.network_mounts import shared_type
from mindscope.reasons import reason_of

BASE = "/data/runs"
ADD_ONE = """
import sys
from pathlib import Path
from mindscope.errors import StaleRecordError
from mindscope.annotations import AnnotationChange, Annotations

annotations = Annotations(Path(sys.argv[1]), "/data/runs")
for _ in range(int(sys.argv[2])):
    while True:
        record = annotations.read().of("count").get("n")
        version, n = (record.version, record.fields["n"]) if record else (0, 0)
        try:
            annotations.write([AnnotationChange("count", "n", version, {"n": n + 1})])
            break
        except StaleRecordError:
            pass
"""


@pytest.fixture
def annotations(tmp_path: Path) -> Annotations:
    return Annotations(tmp_path, BASE)


def write(annotations: Annotations, key: str, version: int = 0, is_partial: bool = False, **fields: object) -> int:
    (record,) = annotations.write([AnnotationChange("run", key, version, fields, is_partial)]).records
    return record.version


def fields(annotations: Annotations) -> dict[str, object]:
    return {key: record.fields for key, record in annotations.read().of("run").items()}


def test_empty_annotations_hold_nothing(annotations: Annotations):
    assert annotations.revision() == 0
    assert annotations.read().records == ()
    assert annotations.problem is None
    assert annotations.is_writable


def test_what_is_written_is_there_for_the_next_viewer(annotations: Annotations, tmp_path: Path):
    write(annotations, "a/b", note="it diverged\n\u4e2d\u6587 \U0001f600", tags=["best"])
    annotations.close()
    assert fields(Annotations(tmp_path, BASE)) == {
        "a/b": {"note": "it diverged\n\u4e2d\u6587 \U0001f600", "tags": ["best"]}
    }


def test_each_base_directory_has_its_own(annotations: Annotations, tmp_path: Path):
    other = Annotations(tmp_path, "/other")
    write(annotations, "a", note="mine")
    write(other, "a", note="theirs")
    assert fields(annotations) == {"a": {"note": "mine"}}
    assert fields(other) == {"a": {"note": "theirs"}}
    assert annotations.revision() == other.revision() == 1


def test_a_partial_change_keeps_the_other_fields(annotations: Annotations):
    version = write(annotations, "a", note="x", color="3")
    write(annotations, "a", version, is_partial=True, color=None)
    assert fields(annotations) == {"a": {"note": "x", "color": None}}


def test_a_lost_update_is_refused_with_the_newer_record(annotations: Annotations):
    version = write(annotations, "a", note="first")
    newer = write(annotations, "a", version, note="second")
    assert newer > version
    with pytest.raises(StaleRecordError) as refused:
        write(annotations, "a", version, note="third")
    (record,) = refused.value.args
    assert (record.version, record.fields) == (newer, {"note": "second"})
    assert fields(annotations) == {"a": {"note": "second"}}


def test_of_many_changes_all_are_made_or_none(annotations: Annotations):
    write(annotations, "b", note="there")
    with pytest.raises(StaleRecordError):
        annotations.write([AnnotationChange("run", "a", 0, {}), AnnotationChange("run", "b", 0, {})])
    assert fields(annotations) == {"b": {"note": "there"}}


def test_a_deleted_record_is_gone_and_never_has_an_old_version_again(annotations: Annotations):
    version = write(annotations, "a", note="x")
    annotations.write([AnnotationChange("run", "a", version, None)])
    assert fields(annotations) == {}
    with pytest.raises(StaleRecordError) as refused:
        write(annotations, "a", version, note="y")
    write(annotations, "a", refused.value.args[0].version, note="y")
    assert fields(annotations) == {"a": {"note": "y"}}


def test_threads_and_processes_lose_no_update(annotations: Annotations, tmp_path: Path):
    def add(times: int) -> None:
        for _ in range(times):
            while True:
                record = annotations.read().of("count").get("n")
                version, n = (record.version, record.fields["n"]) if record and record.fields else (0, 0)
                try:
                    annotations.write([AnnotationChange("count", "n", version, {"n": n + 1})])
                    break
                except StaleRecordError:
                    continue

    others = [subprocess.Popen([sys.executable, "-c", ADD_ONE, str(tmp_path), "20"]) for _ in range(2)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(add, [20] * 3))
    assert [other.wait(60) for other in others] == [0, 0]
    counted = annotations.read().of("count")["n"].fields
    assert counted == {"n": 100}
    assert annotations.revision() == 100


def test_a_file_that_another_process_is_just_beginning_is_waited_for(
    annotations: Annotations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr("time.sleep", lambda pause_s: other.in_transaction and other.execute("COMMIT"))
        write(annotations, "a", note="x")
        assert not other.in_transaction
    assert (annotations.is_writable, annotations.problem) == (True, None)
    assert fields(annotations) == {"a": {"note": "x"}}


@pytest.mark.parametrize("damage", ["text", "header", "pages", "empty_page_table"])
def test_a_damaged_file_without_a_copy_is_moved_aside_and_said(tmp_path: Path, damage: str):
    annotations = Annotations(tmp_path, BASE)
    annotations.write([AnnotationChange("run", f"run {number}", 0, {"note": "x" * 100}) for number in range(300)])
    annotations.close()
    copy_path(tmp_path / FILE_NAME).unlink()
    path = tmp_path / FILE_NAME
    content = bytearray(path.read_bytes())
    if damage == "text":
        content = bytearray(b"not a database at all, but long enough to be looked at\n" * 100)
    elif damage == "header":
        content[:16] = bytes(16)
    elif damage == "pages":
        content[16384:20480] = bytes(4096)
    else:
        content[100:112] = b"\xff" * 12
    path.write_bytes(content)
    found = Annotations(tmp_path, BASE)
    left = fields(found)
    assert len(left) > 200 if damage == "pages" else left == {}
    (aside,) = tmp_path.glob("annotations.damaged-*.sqlite3")
    assert aside.read_bytes() == bytes(content)
    assert found.problem is not None
    assert found.problem.code == ("annotations_restored" if left else "annotations_recreated")
    assert str(aside) in found.problem
    assert left or write(found, "a", note="new") == 1
    assert left or fields(Annotations(tmp_path, BASE)) == {"a": {"note": "new"}}
    aside.unlink()
    assert found.problem is None


@pytest.mark.parametrize("damage", ["text", "header", "pages"])
def test_a_damaged_file_is_restored_from_its_copy(annotations: Annotations, tmp_path: Path, damage: str):
    annotations.write([AnnotationChange("run", f"run {number}", 0, {"note": "x" * 100}) for number in range(300)])
    written = fields(annotations)
    annotations.close()
    content = bytearray((tmp_path / FILE_NAME).read_bytes())
    start, stop = {"text": (0, len(content)), "header": (0, 16), "pages": (8192, 12288)}[damage]
    content[start:stop] = b"\xff" * (stop - start)
    (tmp_path / FILE_NAME).write_bytes(content)
    found = Annotations(tmp_path, BASE)
    assert fields(found) == written
    assert found.problem is not None
    assert found.problem.code == "annotations_restored"
    assert found.is_writable


def flip_a_bit_of(path: Path, text: bytes) -> None:
    content = bytearray(path.read_bytes())
    assert content.count(text) == 1
    content[content.index(text)] ^= 1
    path.write_bytes(content)


def test_a_flipped_bit_of_a_note_is_noticed_and_the_note_restored(annotations: Annotations, tmp_path: Path):
    before = write(annotations, "a", note="lower the rate")
    annotations.close()
    newer = write(annotations, "b", note="written after the copy")
    annotations._is_changed = False  # pyright: ignore[reportPrivateUsage] (as where the process is killed)
    annotations.close()
    flip_a_bit_of(tmp_path / FILE_NAME, b"lower the rate")
    found = Annotations(tmp_path, BASE)
    assert fields(found) == {"a": {"note": "lower the rate"}, "b": {"note": "written after the copy"}}
    assert found.problem is not None
    assert found.problem.code == "annotations_restored"
    assert write(found, "a", before, note="higher") > newer + 1000


def test_a_bit_that_flips_under_a_viewer_is_noticed_at_the_next_look(annotations: Annotations, tmp_path: Path):
    write(annotations, "a", note="lower the rate")
    other = Annotations(tmp_path, BASE)
    assert fields(other) == {"a": {"note": "lower the rate"}}
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE record SET fields = replace(fields, 'lower', 'mower')")
    assert fields(other) == {"a": {"note": "lower the rate"}}
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE record SET version = version + 1")
    with pytest.raises(StaleRecordError):
        write(other, "a", note="x")
    assert fields(other) == {"a": {"note": "lower the rate"}}


def test_a_damaged_file_never_replaces_its_copy(annotations: Annotations, tmp_path: Path):
    write(annotations, "a", note="lower the rate")
    copy = copy_path(tmp_path / FILE_NAME)
    os.utime(copy, (0, 0))
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE record SET fields = replace(fields, 'lower', 'mower')")
    write(annotations, "b", note="y")
    assert fields(annotations) == {"a": {"note": "lower the rate"}, "b": {"note": "y"}}
    copied = tmp_path / "elsewhere"
    copied.mkdir()
    copy.rename(copied / FILE_NAME)
    assert fields(Annotations(copied, BASE)) == {"a": {"note": "lower the rate"}, "b": {"note": "y"}}


def test_a_copy_is_made_once_a_day(annotations: Annotations, tmp_path: Path):
    write(annotations, "a", note="x")
    copy = copy_path(tmp_path / FILE_NAME)
    first = copy.stat()
    write(annotations, "b", note="y")
    assert copy.stat().st_ino == first.st_ino
    long_ago = first.st_mtime - COPY_EVERY_S - 1
    os.utime(copy, (long_ago, long_ago))
    fields(annotations)
    assert copy.stat().st_ino != first.st_ino
    assert sorted(path.suffix for path in tmp_path.iterdir() if path.suffix == ".part") == []


def test_a_copy_that_is_damaged_too_is_left_out(annotations: Annotations, tmp_path: Path):
    write(annotations, "a", note="lower the rate")
    write(annotations, "b", note="y")
    annotations.close()
    for path in (tmp_path / FILE_NAME, copy_path(tmp_path / FILE_NAME)):
        flip_a_bit_of(path, b"lower the rate")
    assert fields(Annotations(tmp_path, BASE)) == {"b": {"note": "y"}}


def test_a_copy_that_can_not_be_written_costs_no_change(annotations: Annotations, tmp_path: Path):
    copy_path(tmp_path / FILE_NAME).mkdir()
    os.utime(copy_path(tmp_path / FILE_NAME), (0, 0))
    write(annotations, "a", note="x")
    assert fields(annotations) == {"a": {"note": "x"}}
    assert annotations.problem is None


def test_records_of_format_1_are_given_checksums(annotations: Annotations, tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.executescript(
            """
            CREATE TABLE revisions (base TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE record (base TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL,
                fields TEXT, changed_at REAL NOT NULL, PRIMARY KEY (base, kind, key)) WITHOUT ROWID;
            INSERT INTO revisions VALUES ('/data/runs', 7);
            INSERT INTO record VALUES ('/data/runs', 'run', 'a', 7, '{"note": "lower the rate"}', 1.5);
            PRAGMA user_version = 1;
            """
        )
    assert fields(annotations) == {"a": {"note": "lower the rate"}}
    annotations.close()
    flip_a_bit_of(tmp_path / FILE_NAME, b"lower the rate")
    found = Annotations(tmp_path, BASE)
    assert fields(found) == {"a": {"note": "lower the rate"}}
    assert found.problem is not None


def test_damage_under_open_connections_is_noticed_by_all(annotations: Annotations, tmp_path: Path):
    write(annotations, "a", note="copied")
    other = Annotations(tmp_path, BASE)
    assert fields(other) == {"a": {"note": "copied"}}
    annotations.close()
    other.close()
    (tmp_path / FILE_NAME).write_bytes(b"no database " * 1000)
    write(annotations, "b", note="y")
    assert fields(other) == fields(annotations) == {"a": {"note": "copied"}, "b": {"note": "y"}}
    assert len(list(tmp_path.glob("annotations.damaged-*.sqlite3"))) == 1


def test_a_file_that_was_deleted_is_begun_anew(annotations: Annotations, tmp_path: Path):
    write(annotations, "a", note="x")
    for part in tmp_path.glob(f"{FILE_NAME}*"):
        part.unlink()
    assert fields(annotations) == {}
    write(annotations, "b", note="y")
    assert fields(Annotations(tmp_path, BASE)) == {"b": {"note": "y"}}


def test_where_nothing_can_be_written_it_says_why_and_reads_nothing(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    annotations = Annotations(tmp_path / "file" / "workspace", BASE)
    assert annotations.read().records == ()
    assert not annotations.is_writable
    assert annotations.problem is not None
    assert "start the viewer with another --workspace" in annotations.problem
    with pytest.raises(AnnotationError, match="another --workspace"):
        write(annotations, "a", note="x")
    (tmp_path / "file").unlink()
    write(annotations, "a", note="x")
    assert annotations.is_writable
    assert annotations.problem is None


def test_while_another_process_writes_it_is_read_and_changes_are_asked_for_again(
    annotations: Annotations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("mindscope.annotations.database.BUSY_S", 0.05)
    write(annotations, "a", note="x")
    annotations.close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        opened = Annotations(tmp_path, BASE)
        assert fields(opened) == {"a": {"note": "x"}}
        assert (opened.is_writable, opened.problem) == (True, None)
        with pytest.raises(AnnotationError) as refused:
            write(opened, "b", note="y")
        reason = reason_of(refused.value)
        assert (reason.code, reason.values["errno"]) == ("annotations_busy", "EBUSY")
        other.execute("ROLLBACK")
    assert write(opened, "b", note="y") > 0
    opened.close()


def test_what_one_thread_could_only_read_is_written_once_another_found_that_it_can_be(
    annotations: Annotations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("mindscope.annotations.database.BUSY_S", 0.05)
    write(annotations, "a", note="x")
    annotations.close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = delete")
        other.execute("BEGIN")
        other.execute("SELECT * FROM record").fetchall()
        assert fields(annotations) == {"a": {"note": "x"}}
        assert not annotations.is_writable
    with ThreadPoolExecutor(1) as another:
        assert another.submit(fields, annotations).result() == {"a": {"note": "x"}}
    assert annotations.is_writable
    assert write(annotations, "b", note="y") == 2


def test_an_empty_file_that_can_not_be_filled_says_why(tmp_path: Path):
    (tmp_path / FILE_NAME).touch()
    (tmp_path / f"{FILE_NAME}-journal").mkdir()  # where SQLite begins to write
    annotations = Annotations(tmp_path, BASE)
    with pytest.raises(AnnotationError) as refused:
        write(annotations, "a", note="x")
    assert reason_of(refused.value).values["errno"] in ("EIO", "ENOENT")
    assert annotations.read().records == ()


def test_a_file_of_a_later_format_is_left_alone(annotations: Annotations, tmp_path: Path):
    write(annotations, "a", note="x")
    annotations.close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    later = Annotations(tmp_path, BASE)
    with pytest.raises(AnnotationError, match="format 99"):
        write(later, "a", 1, note="y")
    assert later.read().records == ()
    assert later.problem is not None
    assert "Update mindscope" in later.problem
    assert not list(tmp_path.glob("*damaged*"))


def test_a_row_that_is_no_object_is_left_out(annotations: Annotations, tmp_path: Path):
    write(annotations, "a", note="x")
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        row = (BASE, "run", "b", 7, "[1, ", 0.0)
        connection.execute("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, checksum_of(row)))
    connection.close()
    assert fields(annotations) == {"a": {"note": "x"}, "b": None}


@pytest.mark.parametrize(
    ("place", "want"),
    [("/home/me/w", True), ("/home/local/w", False), ("/tmp/w", False), ("/mnt/my disk/w", True), ("/scratch/w", True)],
)
def test_file_systems_of_several_machines_are_known(tmp_path: Path, place: str, want: bool):
    table = tmp_path / "mounts"
    table.write_text(
        "/dev/sda1 / ext4 rw 0 0\nserver:/home /home nfs4 rw 0 0\n/dev/sdb1 /home/local xfs rw 0 0\n"
        "//nas/x /mnt/my\\040disk cifs rw 0 0\nmgs@tcp:/x /scratch lustre rw 0 0\n"
    )
    assert (shared_type(Path(place), table) is not None) is want


def test_where_machines_share_the_file_there_is_no_write_ahead_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    table = tmp_path / "mounts"
    table.write_text("server:/x / nfs4 rw 0 0\n")
    monkeypatch.setattr("mindscope.annotations.database.shared_type", lambda path: shared_type(path, table))
    annotations = Annotations(tmp_path, BASE)
    write(annotations, "a", note="x")
    assert sorted(path.name for path in tmp_path.glob(f"{FILE_NAME}*")) == [FILE_NAME]
    assert fields(annotations) == {"a": {"note": "x"}}
