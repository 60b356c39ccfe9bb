# SPDX-License-Identifier: Apache-2.0
"""Logs of SwanLab, against what its own reader finds in them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mindscope import open_run, open_runs
from mindscope.analysis.stored_values import find_values
from mindscope.errors import FormatError
from mindscope.ingest import find_runs
from mindscope.ingest.catalog import Catalog
from mindscope.store import RunStore
from mindscope.types import DialectName, Kind

from .checking import DATA, expected, only_run, points, read_with_damage

LOG = next((DATA / "swanlab").glob("run-*/*.swanlab"))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The file of a copy."""
    shutil.copytree(LOG.parent, tmp_path / LOG.parent.name)
    return tmp_path / LOG.parent.name / LOG.name


def test_scalars_are_those_of_the_own_reader() -> None:
    store = only_run(DATA / "swanlab")
    tag_of = {tag.replace("system/", "__swanlab__."): tag for tag in store.tags(Kind.SCALAR)}
    reported = expected("swanlab")["scalars"]
    assert tag_of.keys() == reported.keys()
    scalars = points(store)
    for key, rows in reported.items():
        columns = store.scalars(tag_of[key]).all()  # pyright: ignore[reportOptionalMemberAccess]
        assert scalars[tag_of[key]] == [(step, value) for step, _, value in rows], key
        assert columns.wall_time.tolist() == pytest.approx([time for _, time, _ in rows], abs=1e-6)


def test_measurements_of_the_machine_have_names_of_their_own() -> None:
    assert {"system/cpu.pct", "system/mem.proc"} <= set(only_run(DATA / "swanlab").tags(Kind.SCALAR))


def test_media_are_the_files_of_the_own_reader() -> None:
    run = open_run(LOG.parent)
    reported = expected("swanlab")["media"]
    assert set(reported) - {"cloud"} == {
        tag for kind in ("image", "audio", "text", "html", "video") for tag in run.tags(kind) if tag != "output"
    }
    for key, kind, folder in (("image", "image", "image"), ("images", "image", "image"), ("sound", "audio", "audio")):
        ((step, names),) = reported[key]
        (sample,) = run.values(kind, key)
        decoded = sample.value if kind == "image" else (sample.value,)
        files = [(LOG.parent / "media" / folder / name).read_bytes() for name in names]
        assert sample.step == step
        assert [part.encoded for part in decoded] == files
    assert run.texts("texts")[0].value == ("x\n\ny",)
    assert run.html_pages("page")[0].value == "<b>x</b>"
    assert (run.videos("video")[0].value.width, run.videos("video")[0].value.height) == (10, 8)


def test_what_the_script_printed_is_one_text() -> None:
    run = open_run(LOG.parent)
    lines = [line for sample in run.texts("output") for text in sample.value for line in text.split("\n")]
    assert lines == expected("swanlab")["lines"]


def test_configuration_and_facts_are_hyperparameters() -> None:
    params = open_run(LOG.parent).hparams
    assert (params["lr"], params["optimizer.name"], params["layers"]) == (0.1, "sgd", "[1, 2]")
    assert (params["env/name"], params["env/notes"], params["env/tags"]) == ("first", "a note", "a, b")
    assert (params["env/host"], params["env/args"]) == ("machine", "python train.py")


def test_the_run_has_its_name_its_end_and_says_what_is_not_shown() -> None:
    store = only_run(DATA / "swanlab")
    (facts,) = store.files
    assert (facts.dialect, facts.run_name) == (DialectName.SWANLAB, "first")
    assert facts.stopped_at == facts.size_bytes
    assert [(note.code, note.values["what"]) for note in facts.notes] == [("tracker_left_out", "object3d")]


def test_a_log_that_grows_in_any_portions_is_the_same(log: Path) -> None:
    whole, data = points(only_run(log.parent)), log.read_bytes()
    log.write_bytes(b"")
    catalog = Catalog(log.parent.parent)
    catalog.refresh()
    for cut in range(0, len(data) + 500, 500):
        log.write_bytes(data[:cut])
        catalog.refresh([str(log)])
    (store,) = catalog.runs.values()
    assert points(store) == whole
    assert not store.damages


def test_a_resumed_run_goes_on_behind_its_first_part(log: Path) -> None:
    again = log.parent.parent / f"run-20270101_000000-{log.parent.name.rpartition('-')[2]}"
    shutil.copytree(log.parent, again)
    store = only_run(log.parent.parent)
    steps = store.scalars("loss").all().step.tolist()  # pyright: ignore[reportOptionalMemberAccess]
    assert len(steps) == 40
    assert steps[20] > max(steps[:20])
    assert "tracker_joined" in [note.code for facts in store.files for note in facts.notes]


def test_a_copy_is_not_a_second_run(log: Path) -> None:
    shutil.copytree(log.parent, log.parent.parent / "copies" / log.parent.name)
    assert len(open_runs(log.parent.parent)) == 1


@pytest.mark.parametrize("head", [b":SWL\xd6\xe1\x01", b"{}"])
def test_another_version_is_named(log: Path, head: bytes) -> None:
    log.write_bytes(head + log.read_bytes()[7:])
    runs = find_runs(log.parent.parent)
    assert [path.reason.code for path in runs.unreadable] == ["logs_of_swanlab"]
    assert runs.runs == {}


def test_a_name_that_leads_out_of_the_run_is_not_read(log: Path) -> None:
    (log.parent.parent / "secret.txt").write_text("secret")
    text = log.parent / "media" / "text" / "005-2cf24dba.txt"
    text.unlink()
    text.symlink_to(log.parent.parent / "secret.txt")
    values = find_values(only_run(log.parent), Kind.TEXT, "text")
    with pytest.raises(FormatError, match=r"005-2cf24dba\.txt"):
        values.read(values.references, 0)


def test_damage_never_breaks_the_list(log: Path) -> None:
    def check(store: RunStore) -> None:
        for facts in store.files:
            assert facts.read_bytes <= facts.size_bytes

    assert set(read_with_damage(log.parent.parent, log, range(150), check)) <= {0, 1}
