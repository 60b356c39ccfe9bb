# SPDX-License-Identifier: Apache-2.0
"""Logs that the real programs write during the test, read by us and by their own readers."""

from __future__ import annotations

import io
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import mindscope
from mindscope import SummaryRecord
from mindscope.formats import tensorboard, tensorboard_schemas, wire
from mindscope.formats.frames import FrameReader, frame
from tests.formats.test_videos import PICTURES

pytestmark = pytest.mark.framework


@pytest.fixture(scope="module")
def torch_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of torch's SummaryWriter with odd tags, steps and values."""
    from torch.utils.tensorboard import SummaryWriter

    directory = tmp_path_factory.mktemp("torch_log")
    rng = np.random.default_rng(7)
    with SummaryWriter(str(directory)) as writer:
        for step in [0, 5, 3, 2**40, -4, *range(100, 400)]:
            writer.add_scalar("中文/损失", rng.standard_normal(), step)
            writer.add_scalar('a b"<c>', float("nan") if step % 7 == 0 else rng.random() * 1e30, step)
            writer.add_scalar("new style", rng.random(), step, new_style=True)
        writer.add_scalar("double", 0.1, 1, double_precision=True)
        for step in range(4):
            writer.add_histogram("weights", rng.standard_normal(1000), step)
            writer.add_histogram("constant", np.full(10, 2.5), step)
            writer.add_image("grey", rng.random((1, 5, 7)), step)
            writer.add_text("note", f"**步骤** {step}", step)
        writer.add_hparams({"lr": 0.1, "opt": "adam", "nest": True}, {"acc": 0.5}, run_name="trial")
    return directory


def test_hyperparameters_have_the_order_in_which_they_were_added(torch_log: Path) -> None:
    table = mindscope.open_runs(torch_log).lineage()
    assert [key.name for key in table.table.columns if key.group == "parameter"] == ["lr", "opt", "nest"]


def tensorboard_accumulator(directory: Path) -> Any:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    keep_all = dict.fromkeys(("scalars", "histograms", "images", "tensors", "audio"), 0)
    return EventAccumulator(str(directory), size_guidance=keep_all).Reload()


def test_torch_scalars_agree_with_tensorboards_reader(torch_log: Path) -> None:
    accumulator, run = tensorboard_accumulator(torch_log), mindscope.open_run(torch_log)
    for tag in accumulator.Tags()["scalars"]:
        theirs, ours = accumulator.Scalars(tag), run.scalars(tag, overwritten=True)
        assert ours.step.tolist() == [event.step for event in theirs]
        assert ours.wall_time.tolist() == [event.wall_time for event in theirs]
        want = np.array([event.value for event in theirs], np.float32)
        assert ours.value.tobytes() == want.tobytes()
    new_style = [tag for tag in run.tags("scalar") if tag in ("new style", "double")]
    for tag in new_style:
        theirs = accumulator.Tensors(tag) if tag in accumulator.Tags()["tensors"] else accumulator.Scalars(tag)
        assert len(theirs) == len(run.scalars(tag, overwritten=True))
    assert {"中文/损失", 'a b"<c>', "new style", "double"} == set(run.tags("scalar"))


def test_torch_histograms_images_and_texts_agree(torch_log: Path) -> None:
    accumulator, run = tensorboard_accumulator(torch_log), mindscope.open_run(torch_log)
    for tag in ("weights", "constant"):
        for theirs, ours in zip(accumulator.Histograms(tag), run.histograms(tag), strict=True):
            assert ours.step == theirs.step
            assert ours.value.count.tolist() == np.trim_zeros(theirs.histogram_value.bucket)
            assert ours.value.total == theirs.histogram_value.num
            assert ours.value.minimum == theirs.histogram_value.min
            assert ours.value.count.sum() == theirs.histogram_value.num
    for theirs, ours in zip(accumulator.Images("grey"), run.images("grey"), strict=True):
        (image,) = ours.value
        assert image.encoded == theirs.encoded_image_string
        assert np.array_equal(image.pixels(), np.asarray(Image.open(io.BytesIO(theirs.encoded_image_string))))
    assert [sample.value for sample in run.texts("note/text_summary")] == [(f"**步骤** {step}",) for step in range(4)]


def test_torch_hparams_are_a_run_of_their_own(torch_log: Path) -> None:
    runs = mindscope.open_runs(torch_log)
    trial = runs["trial"]
    assert trial.hparams["lr"] == 0.1
    assert trial.hparams["opt"] == "adam"
    assert trial.hparams["nest"] == 1.0  # torch writes a bool as a number
    assert trial.scalars("acc").value.tolist() == [0.5]


def test_tensorboard_reads_a_file_of_ours(tmp_path: Path) -> None:
    content = frame(tensorboard.version_event(1.0))
    for step in range(20):
        value = {"tag": "loss", "simple_value": step / 2}
        event = {"wall_time": 1.0 + step, "step": step, "summary": {"value": [value]}}
        content += frame(wire.encode(tensorboard_schemas.EVENT, event))
    (tmp_path / "events.out.tfevents.1.host").write_bytes(content)
    events = tensorboard_accumulator(tmp_path).Scalars("loss")
    assert [(event.step, event.wall_time, event.value) for event in events] == [
        (step, 1.0 + step, step / 2) for step in range(20)
    ]


def test_tensorboard_plays_a_video_of_ours_under_a_name_that_it_reads(tmp_path: Path) -> None:
    frames = np.arange(3 * 5 * 6, dtype=np.uint8).reshape(3, 5, 6)
    with SummaryRecord(str(tmp_path / "ours"), raise_exception=True) as record:
        for step in (1, 4):
            record.add_value("video", "walk", frames + step)
            record.record(step)
    (log,) = (path for path in (tmp_path / "ours").iterdir() if path.name.endswith("_MS"))
    assert tensorboard_accumulator(log.parent).Tags()["images"] == []
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "events.out.tfevents.1.host").symlink_to(log)
    events = tensorboard_accumulator(tmp_path / "theirs").Images("walk")
    assert [(event.step, event.width, event.height) for event in events] == [(1, 6, 5), (4, 6, 5)]
    ours = [sample.value.encoded for sample in mindscope.open_run(log.parent).videos("walk")]
    assert [event.encoded_image_string for event in events] == ours


def test_a_video_of_torchs_writer_agrees(tmp_path: Path) -> None:
    """The message of ``add_video`` through torch's file writer; moviepy, which would encode the GIF, is not needed."""
    from tensorboard.compat.proto.summary_pb2 import Summary
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(tmp_path)) as writer:
        for step in range(2):
            image = Summary.Image(height=6, width=8, colorspace=3, encoded_image_string=PICTURES["animated"])
            message = Summary(value=[Summary.Value(tag="walk", image=image)])
            writer._get_file_writer().add_summary(message, step)  # as add_video calls it
    theirs, ours = tensorboard_accumulator(tmp_path).Images("walk"), mindscope.open_run(tmp_path).videos("walk")
    for event, sample in zip(theirs, ours, strict=True):
        assert (sample.step, sample.wall_time) == (event.step, event.wall_time)
        assert (sample.value.width, sample.value.height) == (event.width, event.height)
        assert sample.value.encoded == event.encoded_image_string
        assert len(list(sample.value.frames())) == 3


MINDSPORE_SCRIPT = """
    import sys
    import numpy as np
    import mindspore as ms
    from mindspore import SummaryRecord, Tensor

    rng = np.random.default_rng(3)
    if __name__ == "__main__":
        with SummaryRecord(sys.argv[1]) as record:
            for step in range(1, 31):
                record.add_value("scalar", "损失 <b>", Tensor(float(rng.standard_normal()), ms.float32))
                record.add_value("scalar", "int", Tensor(step, ms.int64))
                if step % 10 == 0:
                    record.add_value("histogram", "h", Tensor(rng.standard_normal(2000).astype(np.float32)))
                    record.add_value("tensor", "t", Tensor(rng.standard_normal((2, 3)).astype(np.float16)))
                    record.add_value("image", "i", Tensor(rng.random((4, 3, 6, 5)).astype(np.float32)))
                record.record(step)
"""


@pytest.fixture(scope="module")
def mindspore_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of MindSpore's SummaryRecord, written in a process of its own: it forks writers."""
    directory = tmp_path_factory.mktemp("mindspore_log")
    script = directory / "write.py"
    script.write_text(textwrap.dedent(MINDSPORE_SCRIPT), "utf-8")
    subprocess.run([sys.executable, str(script), str(directory / "run")], check=True, capture_output=True, timeout=240)
    return directory / "run"


def test_mindspore_log_agrees_with_its_own_messages(mindspore_log: Path) -> None:
    from mindspore.train import summary_pb2

    (path,) = mindspore_log.glob("*_MS")
    want: dict[tuple[str, str], list[tuple[int, Any]]] = {}
    for _, payload in FrameReader(path.name).records(path.read_bytes()):
        event = summary_pb2.Event.FromString(bytes(payload))
        for value in event.summary.value:
            want.setdefault((value.WhichOneof("value"), value.tag), []).append((event.step, value))
    run = mindscope.open_run(mindspore_log)
    for (field, tag), values in want.items():
        if field == "scalar_value":
            scalars = run.scalars(tag)
            assert scalars.step.tolist() == [step for step, _ in values]
            assert scalars.value.tobytes() == np.array([v.scalar_value for _, v in values], np.float32).tobytes()
    for ours, (step, theirs) in zip(run.histograms("h"), want["histogram", "h"], strict=True):
        assert (ours.step, ours.value.total) == (step, theirs.histogram.count)
        assert ours.value.count.tolist() == [bucket.count for bucket in theirs.histogram.buckets]
        assert ours.value.left.tolist() == [bucket.left for bucket in theirs.histogram.buckets]
    for ours, (_, theirs) in zip(run.tensors("t"), want["tensor", "t"], strict=True):
        assert ours.value.value.dtype == np.float16
        assert ours.value.value.shape == tuple(theirs.tensor.dims)
        assert ours.value.value.reshape(-1).tolist() == list(theirs.tensor.float_data)
    for ours, (_, theirs) in zip(run.images("i"), want["image", "i"], strict=True):
        assert ours.value[0].encoded == theirs.image.encoded_image
    assert len(want) == 5
    assert not run.damages
