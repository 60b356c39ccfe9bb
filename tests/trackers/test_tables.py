# SPDX-License-Identifier: Apache-2.0
"""Files of numbers with a column of steps, against what pandas reads in them."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope import open_runs
from mindscope.ingest.catalog import Catalog
from mindscope.store import RunStore
from mindscope.trackers._table_cells import EMPTY, NUMBER, TEXT, parse_rows
from mindscope.types import DialectName

from .checking import DATA, expected, only_run, points, read_with_damage, runs_below

LONG_AGO = 1_700_000_000


def write(path: Path, text: str, *, is_settled: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if is_settled:
        os.utime(path, (LONG_AGO, LONG_AGO))
    return path


@pytest.mark.parametrize("name", expected("tables"))
def test_values_are_those_of_pandas(name: str) -> None:
    store = runs_below(DATA / "tables")[name]
    scalars = points(store)
    for tag, rows in expected("tables")[name].items():
        assert scalars.get(tag, []) == [(step, value) for step, value in rows], tag
    assert not store.damages
    assert store.dialects == (DialectName.TABLE,)


def test_a_trial_of_ray_or_a_checkpoint_of_transformers_is_no_run_of_its_own() -> None:
    assert set(runs_below(DATA / "tables")) == set(expected("tables"))
    assert set(runs_below(DATA / "tables" / "transformers" / "checkpoint-10")) == {"."}


def test_parameters_come_from_the_log_or_the_file_beside_it() -> None:
    runs = open_runs(DATA / "tables")
    ray = runs["ray/trial_0"].hparams
    assert (ray["lr"], ray["model.layers"], ray["env/host"], ray["env/id"]) == (0.01, "[1, 2]", "machine", "abc")
    assert runs["transformers"].hparams["max_steps"] == 20
    store = runs_below(DATA / "tables")["lightning/version_0"]
    assert [Path(file.path).name for file in store.settings] == ["hparams.yaml"]


def test_times_come_from_a_column_or_from_the_file(tmp_path: Path) -> None:
    write(tmp_path / "moments/metrics.csv", "step,loss,timestamp\n1,2,1700000000\n2,3,1700000005\n")
    write(tmp_path / "texts/metrics.csv", "step,loss,date\n1,2,2024-01-01T00:00:00Z\n2,3,2024-01-01T00:00:09+00:00\n")
    write(tmp_path / "elapsed/metrics.csv", "step,loss,time\n1,2,10\n2,3,40\n")
    write(tmp_path / "none/metrics.csv", "step,loss\n1,2\n2,3\n")
    runs = runs_below(tmp_path)
    times = {name: store.scalars("loss").all().wall_time.tolist() for name, store in runs.items()}  # pyright: ignore
    assert times == {
        "moments": [1700000000, 1700000005],
        "texts": [1704067200, 1704067209],
        "elapsed": [LONG_AGO - 30, LONG_AGO],
        "none": [LONG_AGO, LONG_AGO],
    }
    notes = {name: [note.code for file in store.files for note in file.notes] for name, store in runs.items()}
    assert notes == {"moments": [], "texts": [], "elapsed": [], "none": ["table_without_times"]}


@pytest.mark.parametrize(
    "text",
    [
        "step;loss;acc\n1;2.5;3\n2;;inf\n",
        "step\tloss\tacc\n1\t2.5\t3\n2\t\tinf\n",
        "\ufeffstep,loss,acc\r\n1,2.5,3\r\n2,,inf\r\n",
        '"step","loss","acc"\n"1","2.5","3"\n2,NA,Infinity\n',
        "step,loss,acc\n1,2.5,3\n2,,inf",
        '{"step": 1, "loss": 2.5, "acc": 3}\n{"step": 2, "loss": null, "acc": Infinity}\n',
    ],
)
def test_every_way_to_write_a_table_is_read(tmp_path: Path, text: str) -> None:
    write(tmp_path / "metrics.csv", text)
    store = only_run(tmp_path)
    assert points(store) == {"loss": [(1, "2.5")], "acc": [(1, "3.0"), (2, "inf")]}
    assert not store.damages


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.csv", "id,label\n1,0\n2,1\n"),
        (
            "titanic.csv",
            'PassengerId,Survived,Name,Sex,Age\n1,0,"Braund, Mr. Owen",male,22\n2,1,"C, F",female,38\n',
        ),
        ("series.csv", "date,value\n2020-01-01,1.5\n2020-01-02,1.6\n"),
        ("annotations.csv", "filename,width,height,class,xmin\na.png,10,20,cat,1\nb.png,10,20,dog,2\n"),
        ("payments.csv", "step,type,amount,name,to\n1,PAY,9839.6,C12,M19\n1,PAY,1864.2,C16,M20\n1,CASH,181,C13,C55\n"),
        ("sensor.csv", "epoch,x,y\n" + "".join(f"{n % 3},{n},{n}\n" for n in range(60))),
        ("matrix.csv", "1,2,3\n4,5,6\n7,8,9\n"),
        ("words.jsonl", '{"text": "step", "label": 1}\n{"text": "x", "label": 0}\n'),
        ("coco.json", '{"images": [], "step": 1}\n'),
        ("metrics.csv", "name,value\nloss,1\n"),
        ("names.csv", "step,epoch\n1,1\n2,2\n"),
        ("twice.csv", "step,loss,loss\n1,2,3\n2,3,4\n"),
        ("empty.csv", ""),
        ("bytes.csv", "\x00\x01\x02\n\x03"),
    ],
)
def test_a_healthy_table_of_a_data_set_is_no_run(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path / name, text)
    assert runs_below(tmp_path) == {}


def test_a_directory_of_many_tables_is_a_data_set(tmp_path: Path) -> None:
    for number in range(201):
        write(tmp_path / f"{number}.csv", "step,x\n1,2\n2,3\n")
    assert runs_below(tmp_path) == {}


def test_several_tables_are_runs_of_their_own(tmp_path: Path) -> None:
    for name in ("metrics_a.csv", "metrics_b.csv"):
        write(tmp_path / "logs" / name, "step,loss\n1,2\n2,1\n")
    assert set(runs_below(tmp_path)) == {"logs/metrics_a.csv", "logs/metrics_b.csv"}


def test_a_table_beside_event_files_is_left_to_them(tmp_path: Path) -> None:
    from mindscope import SummaryRecord

    with SummaryRecord(str(tmp_path / "run")) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    write(tmp_path / "run" / "progress.csv", "step,loss\n1,2\n")
    assert list(points(only_run(tmp_path))) == ["loss"]
    assert all(not file.name.endswith(".csv") for file in only_run(tmp_path).files)


@given(st.lists(st.integers(0, 130), max_size=8).map(sorted), st.sampled_from(["csv", "jsonl"]))
def test_a_file_that_grows_in_any_portions_is_the_same(cuts: list[int], end: str) -> None:
    rows = {
        "csv": "step,loss,acc\n" + "".join(f"{n},{n / 7},{n if n % 2 else ''}\n" for n in range(5)),
        "jsonl": "".join(f'{{"step": {n}, "loss": {n / 7}}}\n' for n in range(5)),
    }[end].encode()
    with tempfile.TemporaryDirectory() as path:
        file = Path(path) / f"metrics.{end}"
        file.write_bytes(b"")
        catalog = Catalog(path)
        for cut in [*cuts, len(rows)]:
            file.write_bytes(rows[: min(cut, len(rows))])
            catalog.refresh()
        (store,) = catalog.runs.values()
        assert points(store)["loss"] == [(n, repr(n / 7)) for n in range(5)]
        assert not store.damages


def test_a_poll_sees_new_rows_and_a_file_that_had_none(tmp_path: Path) -> None:
    file = write(tmp_path / "metrics.csv", "", is_settled=False)
    catalog = Catalog(tmp_path)
    catalog.refresh()
    assert not catalog.runs
    for number in range(1, 4):
        with file.open("a") as log:
            log.write(f"step,loss\n{number},1\n" if number == 1 else f"{number},1\n")
        while not catalog.poll():
            pass
        (store,) = catalog.runs.values()
        assert [step for step, _ in points(store)["loss"]] == list(range(1, number + 1))


def test_a_header_that_grows_is_no_damage(tmp_path: Path) -> None:
    file = write(tmp_path / "metrics.csv", "step,loss\n1,2\n2,3\n")
    catalog = Catalog(tmp_path)
    catalog.refresh()
    write(file, "step,loss,acc\n1,2,\n2,3,\n3,4,5\n", is_settled=False)
    catalog.refresh()
    (store,) = catalog.runs.values()
    assert points(store) == {"loss": [(1, "2.0"), (2, "3.0"), (3, "4.0")], "acc": [(3, "5.0")]}
    assert not store.damages


def test_wrong_rows_are_named_by_line_and_the_others_read(tmp_path: Path) -> None:
    text = "step,loss\n1,2\n2,3,4\n3\nx,5\n6,7\n"
    write(tmp_path / "csv/metrics.csv", text)
    write(
        tmp_path / "json/metrics.jsonl", '{"step": 1, "loss": 2}\n{"step": \n[1]\n{"loss": 3}\n{"step": 6, "loss": 7}\n'
    )
    runs = runs_below(tmp_path)
    for store in runs.values():
        assert points(store) == {"loss": [(1, "2.0"), (6, "7.0")]}
    lines = {
        name: sorted((damage.detail.values["first"], damage.detail.values["last"]) for damage in store.damages)  # pyright: ignore
        for name, store in runs.items()
    }
    assert lines == {"csv": [(3, 3), (4, 4), (5, 5)], "json": [(2, 3), (4, 4)]}


def test_ten_thousand_columns_and_deep_objects_are_read(tmp_path: Path) -> None:
    names = ",".join(f"layer_{n}" for n in range(10_000))
    rows = "".join(f"{step}," + ",".join(["0.5"] * 10_000) + "\n" for step in range(3))
    write(tmp_path / "wide/metrics.csv", f"step,{names}\n{rows}")
    deep = '{"a": ' * 900 + "1" + "}" * 900
    write(tmp_path / "deep/metrics.jsonl", f'{{"step": 1, "loss": 2, "x": {deep}}}\n')
    runs = runs_below(tmp_path)
    assert len(points(runs["wide"])) == 10_000
    assert points(runs["deep"])["loss"] == [(1, "2.0")]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "outside/metrics.csv", "step,loss\n1,2\n2,3\n")
    (tmp_path / "base").mkdir()
    (tmp_path / "base/metrics.csv").symlink_to(tmp_path / "outside/metrics.csv")
    assert runs_below(tmp_path / "base") == {}


def test_cells_are_rounded_as_python_rounds_them() -> None:
    chance = random.Random(1)
    texts = [repr(chance.uniform(-1, 1) * 10 ** chance.randint(-320, 308)) for _ in range(5000)]
    texts += [f"{chance.random():.{chance.randint(0, 25)}e}" for _ in range(5000)]
    texts += [str(chance.randint(-(10**25), 10**25)) for _ in range(2000)]
    numbers, kinds, *_ = parse_rows("\n".join(texts).encode(), ord(","), 1, -1, True, len(texts))
    assert (kinds == NUMBER).all()
    assert numbers[:, 0].tolist() == [float(text) for text in texts]


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("nan", NUMBER), ("-Inf", NUMBER), ("infinity", NUMBER), ("1.", NUMBER), (".5", NUMBER), (" 1 ", NUMBER),
        ("", EMPTY), ("NA", EMPTY), ("n/a", EMPTY), ("None", EMPTY), ("null", EMPTY), ("1e", TEXT), ("0x10", TEXT),
        ("1_0", TEXT), ("-", TEXT), (".", TEXT), ("nano", TEXT), ("True", TEXT), ("2024-01-01", TEXT),
    ],
)  # fmt: skip
def test_a_cell_has_a_kind(cell: str, kind: int) -> None:
    _, kinds, *_ = parse_rows(f"0,{cell}\n".encode(), ord(","), 2, -1, False, 1)
    assert kinds[0, 1] == kind


@pytest.mark.parametrize("name", ["lightning/version_0/metrics.csv", "ray/trial_0/result.json", "keras/training.log"])
def test_damage_never_breaks_the_list(tmp_path: Path, name: str) -> None:
    def check(store: RunStore) -> None:
        assert all(facts.read_bytes <= facts.size_bytes for facts in store.files)
        assert all(damage.kind.value != "unreadable" for damage in store.damages)

    file = tmp_path / name
    file.parent.mkdir(parents=True)
    shutil.copy(DATA / "tables" / name, file)
    assert set(read_with_damage(tmp_path, file, range(100), check)) <= {0, 1}
