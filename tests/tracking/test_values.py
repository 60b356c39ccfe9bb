# SPDX-License-Identifier: Apache-2.0
"""Configurations, summaries, media and system metrics of a run, read back."""

from __future__ import annotations

import argparse
import dataclasses
import io
import math
import os
import subprocess
import sys
import wave
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

import mindscope
from mindscope.types import Kind


@dataclasses.dataclass
class Net:
    depth: int = 3
    name: str = "net"


@dataclasses.dataclass
class Options:
    lr: float = 0.1
    net: Net = dataclasses.field(default_factory=Net)


class Attributes(Mapping[str, Any]):
    """A mapping of its own kind, as OmegaConf's is."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values_ = values

    def __getitem__(self, key: str) -> Any:
        value = self.values_[key]
        return Attributes(value) if isinstance(value, dict) else value

    def __iter__(self) -> Any:
        return iter(self.values_)

    def __len__(self) -> int:
        return len(self.values_)


NESTED = {"lr": 0.1, "net": {"depth": 3, "name": "net"}}


@pytest.mark.parametrize(
    "config",
    [
        NESTED,
        Attributes(NESTED),
        Options(),
        argparse.Namespace(lr=0.1, net=Net()),
        {"lr": np.float64(0.1), "net": Net()},
    ],
)
def test_every_kind_of_configuration_becomes_parameters(config: Any) -> None:
    mindscope.init(name="a", config=config).finish()
    assert mindscope.open_run("runs/a").hparams == {
        "env/name": "a", "lr": 0.1, "net.depth": 3, "net.name": "net",
    }  # fmt: skip


def test_changes_of_the_configuration_are_recorded() -> None:
    with mindscope.init(name="a", config={"lr": 0.1, "flag": False}) as run:
        run.config.update({"lr": 0.2}, epochs=3)
        run.config["layers"] = [1, 2]
        run.config.none = None
        run.config.thing = Path("x")
        assert run.config.lr == 0.2
        assert run.config["epochs"] == 3
        assert len(run.config) == 6
        with pytest.raises(AttributeError, match="no parameter 'rate'; it has lr"):
            _ = run.config.rate
        with pytest.raises(TypeError, match="config is int"):
            run.config.update(3)
    found = mindscope.open_run("runs/a").hparams
    assert found == {
        "env/name": "a", "lr": 0.2, "flag": False, "epochs": 3, "layers": "[1, 2]", "none": "None", "thing": "x",
    }  # fmt: skip


def test_the_table_of_runs_shows_parameters_and_facts() -> None:
    with mindscope.init("p", "a", {"lr": 0.1}, group="g", tags=["x", "y"], notes="first", job_type="train") as run:
        run.log({"loss": 0.5})
    row = {str(key): value for key, value in mindscope.open_runs("runs").lineage(["loss"])[0].items()}
    text = str(row)
    for each in ("'lr'", "x, y", "first", "train", "0.5", "'g'", "success"):
        assert each.strip("'") in text, each


@pytest.mark.parametrize(("failed", "status"), [(False, "success"), (True, "failure")])
def test_the_end_of_a_run_is_recorded(failed: bool, status: str) -> None:
    run = mindscope.init(name="a")
    try:
        with run:
            run.log({"x": 1.0})
            if failed:
                raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert status in str(mindscope.open_runs("runs").lineage()[0])
    resumed = mindscope.init(name="a")
    resumed.flush()
    assert status not in str(mindscope.open_runs("runs").lineage()[0])


def test_the_summary_has_what_was_defined_and_set() -> None:
    with mindscope.init(name="a") as run:
        run.define_metric("acc*", summary="min,max,best", goal="maximize")
        for value in (0.5, 0.9, math.nan, 0.7):
            run.log({"acc": np.float32(value), "loss": 1.0})
        assert run.summary["acc"] == pytest.approx(0.7)
        assert run.summary["acc.best"] == pytest.approx(0.9)
        assert run.summary["acc.min"] == 0.5
        assert "loss.min" not in run.summary
        run.summary["note"] = "good"
        run.summary["top"] = {"k": 5}
        with pytest.raises(ValueError, match="want some of min, max"):
            run.define_metric("x", summary="median")
        with pytest.raises(ValueError, match="minimize, maximize"):
            run.define_metric("x", goal="up")
    found = mindscope.open_run("runs/a")
    assert found.scalars("summary/acc.best").value.tolist() == [pytest.approx(0.9)]
    assert found.scalars("summary/top.k").value.tolist() == [5]
    assert found.hparams["summary.note"] == "good"


def test_media_are_read_back(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    picture = random.integers(0, 255, (20, 30, 3), np.uint8)
    Pillow.fromarray(picture).save("picture.png")
    Pillow.fromarray(picture).save("film.gif", save_all=True, append_images=[Pillow.fromarray(255 - picture)])
    with wave.open("sound.wav", "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(np.arange(100, dtype="<i2").tobytes())
    Path("page.html").write_text("<b>page</b>")
    table = mindscope.Table(columns=["name", "picture"], data=[["cat", mindscope.Image(picture)]])
    table.add_data("dog", None)
    table.add_column("score", [0.5, 0.25])
    table.add_column("other", [mindscope.Html("<i>cell</i>"), mindscope.Video("film.gif")])
    with mindscope.init(name="a") as run:
        run.log({
            "image": mindscope.Image(picture, caption="a cat"), "file": mindscope.Image("picture.png"),
            "pillow": Pillow.fromarray(picture), "plain": picture, "several": [mindscope.Image(picture)] * 2,
            "histogram": mindscope.Histogram(random.normal(size=100)),
            "counted": mindscope.Histogram(np_histogram=np.histogram([1, 2, 2, 3], bins=3)),
            "array": random.normal(size=50), "list": [1, 2, 3],
            "table": table, "video": mindscope.Video("film.gif"), "frames": mindscope.Video(picture[None]),
            "audio": mindscope.Audio("sound.wav"), "samples": mindscope.Audio(np.zeros(50), sample_rate=100),
            "html": mindscope.Html("page.html"), "text": "some *text*",
        })  # fmt: skip
        run.alert("Low accuracy", "0.1 after 5 epochs", level="WARN")
    found = mindscope.open_run("runs/a")
    assert found.dropped == 0
    assert set(found.tags("image")) == {"image", "file", "pillow", "plain", "several/0", "several/1"}
    for tag in ("image", "file", "pillow", "plain"):
        assert np.array_equal(found.images(tag)[0].value[0].pixels()[:, :, :3], picture), tag
    assert set(found.tags("histogram")) == {"histogram", "counted", "array", "list"}
    assert set(found.tags("video")) == {"video", "frames"}
    assert set(found.tags("audio")) == {"audio", "samples"}
    columns = found.tables("table")[0].value.columns
    assert [column.name for column in columns] == ["name", "picture", "score", "other"]
    assert [column.type for column in columns] == ["text", "media", "number", "text"]
    assert columns[3].values == ("<i>cell</i>", "(Video)")
    assert "<b>page</b>" in found.html_pages("html")[0].value
    assert found.texts("image/caption")[0].value[0] == "a cat"
    assert "WARN: Low accuracy" in found.texts("alerts")[0].value[0]


def test_flat_pictures_of_pillow_are_no_channels() -> None:
    picture = np.random.default_rng(0).integers(0, 255, (3, 30, 3), np.uint8)
    boxes = np.array([[4, 0, 20, 2]])
    with mindscope.init(name="flat") as run:
        run.log({"a": mindscope.Image(Pillow.fromarray(picture))})
        run.log({"b": mindscope.Image(Pillow.fromarray(picture), boxes=boxes)})
        run.log({"c": mindscope.Table(columns=["x"], data=[[mindscope.Image(Pillow.fromarray(picture))]])})
    found = mindscope.open_run("runs/flat")
    assert np.array_equal(found.images("a")[0].value[0].pixels()[:, :, :3], picture)
    assert found.images("b")[0].value[0].pixels().shape[:2] == (3, 30)
    (table,) = found.tables("c")
    assert Pillow.open(io.BytesIO(table.value.media[0][1])).size == (30, 3)


@pytest.mark.parametrize("shape", [(4, 4, 3), (3, 3, 4), (1, 1, 3), (4, 3)])
def test_small_pictures_of_pillow_need_no_warning(shape: tuple[int, ...], caplog: pytest.LogCaptureFixture) -> None:
    picture = np.random.default_rng(0).integers(0, 255, shape, np.uint8)
    image = Pillow.fromarray(picture)
    with mindscope.init(name="small", system_metrics=False, files=False) as run:
        run.log({"plain": image, "wrapped": mindscope.Image(image), "figure": mindscope.Figure(image)})
    with mindscope.SummaryRecord("runs/record") as record:
        record.add_value("image", "image", image)
        record.record(0)
    assert not caplog.records
    for name, tags in (("small", ("plain", "wrapped", "figure")), ("record", ("image",))):
        found = mindscope.open_run(f"runs/{name}")
        for tag in tags:
            pixels = found.images(tag)[0].value[0].pixels()
            channels = shape[2] if len(shape) == 3 else 1
            assert np.array_equal(pixels.reshape(*shape[:2], -1)[:, :, :channels].reshape(shape), picture)


def test_an_array_with_two_readings_is_still_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with mindscope.SummaryRecord("runs/array") as record:
        record.add_value("image", "image", np.zeros((4, 4, 3), np.uint8))
        record.record(0)
    assert "channels first" in caplog.text


def test_boxes_and_masks_are_painted() -> None:
    black = np.zeros((40, 60, 3), np.uint8)
    mask = np.zeros((40, 60), np.int64)
    mask[:10, :10] = 1
    box = {"position": {"minX": 0.5, "maxX": 0.75, "minY": 0.5, "maxY": 0.75}, "class_id": 0, "box_caption": "cat"}
    with mindscope.init(name="a") as run:
        run.log({
            "mask": mindscope.Image(black, masks={"truth": {"mask_data": mask}}),
            "box": mindscope.Image(black, boxes={"guess": {"box_data": [box], "class_labels": {0: "cat"}}}),
            "edges": mindscope.Image(black, boxes=np.array([[30, 20, 45, 30]])),
            "wrong": mindscope.Image(black, masks={"truth": {"mask_data": mask[:5]}}),
        })  # fmt: skip
    found = mindscope.open_run("runs/a")
    masked, boxed, edges = (found.images(tag)[0].value[0].pixels() for tag in ("mask", "box", "edges"))
    assert masked[5, 5, :3].any()
    assert not masked[20, 20, :3].any()
    assert boxed[20, 35, 0] > 100
    assert edges[20, 35, 0] > 100
    assert not edges[5, 5, :3].any()
    assert found.dropped == 1


def test_a_figure_is_recorded_and_closed() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    others = pyplot.get_fignums()
    with mindscope.init(name="a") as run:
        for _ in range(3):
            figure, axes = pyplot.subplots()
            axes.plot([1, 2])
            run.log({"plain": figure})
        run.log({"figure": mindscope.Figure(pyplot.figure())})
    pyplot.close()  # the one that the caller wrapped
    assert pyplot.get_fignums() == others
    assert len(mindscope.open_run("runs/a").images("plain")) == 3


@pytest.mark.framework
def test_values_of_torch_are_recorded() -> None:
    torch = pytest.importorskip("torch")
    with mindscope.init(name="a", config={"seed": torch.tensor(3)}) as run:
        picture = mindscope.Image(torch.rand(3, 8, 8))
        run.log({"loss": torch.tensor(0.5, requires_grad=True), "weights": torch.ones(4, 4), "image": picture})
        assert dict(run.summary) == {"loss": 0.5}  # tensors and their graphs are not kept
    found = mindscope.open_run("runs/a")
    assert found.scalars("loss").value.tolist() == [0.5]
    assert found.hparams["seed"] == 3
    assert found.tags("histogram") == ("weights",)
    assert found.tags("image") == ("image",)


def test_bad_media_cost_only_themselves() -> None:
    with mindscope.init(name="a") as run:
        run.log({
            "a": mindscope.Image("gone.png"), "b": mindscope.Audio("gone.wav"), "c": mindscope.Video("film.mp4"),
            "d": mindscope.Html(None), "e": mindscope.Histogram(np_histogram=([1], [1])), "f": mindscope.Figure(3),
            "g": mindscope.Table(columns=["x"], data=[[1, 2]]), "good": 1.0,
        })  # fmt: skip
    found = mindscope.open_run("runs/a")
    assert found.dropped == 7
    assert found.scalars("good").value.tolist() == [1]


@pytest.mark.parametrize("writer", [False, True])
def test_system_metrics_have_the_step_of_the_training(writer: bool) -> None:
    begin = "w = mindscope.SummaryWriter('runs/a')" if writer else "w = mindscope.init(name='a')"
    add = "w.add_scalar('x', 1.0, 41)" if writer else "w.log({'x': 1.0}, step=41)"
    end = "w.close()" if writer else "w.finish()"
    code = f"import mindscope, time\n{begin}\n{add}\ntime.sleep(3)\n{end}\ntime.sleep(0.5)"
    for variable, is_there in (("1", True), ("0", False)):
        environment = {**os.environ, "MINDSCOPE_SYSTEM_METRICS": variable}
        subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=120)
        found = mindscope.open_run("runs/a")
        system = [tag for tag in found.tags(Kind.SCALAR) if tag.startswith("system/")]
        assert bool(system) is is_there
        for tag in system:
            assert set(found.scalars(tag).step.tolist()) == {41}
        for file in Path("runs/a").iterdir():
            file.unlink()


def test_init_prints_the_address_of_a_viewer(capsys: pytest.CaptureFixture[str]) -> None:
    from tests.server.live_viewer import free_port

    mindscope.init("p", "quiet").finish()
    assert capsys.readouterr() == ("", "")
    port = str(free_port())
    begin = [sys.executable, "-m", "mindscope"]
    subprocess.run([*begin, "start", "runs", "--port", port, "--workspace", "space"], check=True, timeout=120)
    try:
        mindscope.init("p", "shown", view=True).finish()  # starts none
        shown = capsys.readouterr()
        assert f"http://127.0.0.1:{port}" in shown.err
        assert not shown.out
        mindscope.init("p", "elsewhere", dir="others").finish()
        assert capsys.readouterr() == ("", "")
    finally:
        subprocess.run([*begin, "stop", "--port", port], check=True, timeout=120)


def test_view_starts_a_viewer(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.server.live_viewer import free_port

    port = free_port()
    monkeypatch.setenv("MINDSCOPE_PORT", str(port))
    monkeypatch.setenv("MINDSCOPE_WORKSPACE", str(Path.cwd() / "space"))
    try:
        mindscope.init("p", "a", view=True).finish()
        assert f"shown at http://127.0.0.1:{port}" in capsys.readouterr().err
    finally:
        subprocess.run([sys.executable, "-m", "mindscope", "stop", "--port", str(port)], check=True, timeout=120)


def test_an_import_and_init_load_neither_viewer_nor_reader() -> None:
    code = (
        "import sys, mindscope\nmindscope.init(name='a')\n"
        "print(sorted(n for n in sys.modules if n in ('mindscope.server', 'mindscope.store', 'mindscope.reading', "
        "'starlette', 'PIL', 'torch', 'matplotlib', 'pyarrow')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "[]\n"
