# SPDX-License-Identifier: Apache-2.0
"""Writes ``swanlab/`` with swanlab 0.10, and what its own reader finds there as ``swanlab.expected.json``.

Run ``python swanlab.make.py`` in an environment with ``swanlab[media]``.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import swanlab
from PIL import Image
from swanlab.proto.swanlab.record.v1.record_pb2 import Record
from swanlab.sdk.internal.core_python.store import DataStoreReader

HERE = Path(__file__).parent


def record(logs: Path) -> None:
    swanlab.init(
        project="digits", experiment_name="first", description="a note", tags=["a", "b"], group="seeds",
        config={"lr": 0.1, "optimizer": {"name": "sgd"}, "layers": [1, 2]}, mode="offline", logdir=str(logs),
        settings=swanlab.Settings(probe={"monitor_interval": 5}),
    )  # fmt: skip
    random = np.random.default_rng(0)
    pixels = lambda: random.integers(0, 255, (8, 10, 3), dtype=np.uint8)  # noqa: E731
    for step in range(20):
        swanlab.log({"loss": 1 / (step + 1), "nested": {"accuracy": step / 20}}, step=step * 2)
    swanlab.log(
        {"image": swanlab.Image(pixels()), "images": [swanlab.Image(pixels()), swanlab.Image(pixels())]}, step=3
    )
    clip = random.normal(size=(1, 800)).astype(np.float32)
    swanlab.log({"sound": swanlab.Audio(clip, sample_rate=8000), "text": swanlab.Text("hello")}, step=5)
    swanlab.log({"texts": [swanlab.Text("x"), swanlab.Text("y")], "page": swanlab.Html("<b>x</b>")}, step=6)
    frames = [Image.fromarray(pixels()) for _ in range(2)]
    frames[0].save("a.gif", save_all=True, append_images=frames[1:])
    swanlab.log({"video": swanlab.Video("a.gif")}, step=7)
    swanlab.log({"cloud": swanlab.Object3D(random.normal(size=(10, 3)).astype(np.float32))}, step=8)
    for step, value in enumerate((math.nan, math.inf, -math.inf)):
        swanlab.log({"bad": value}, step=step)
    print("a line of the script")
    time.sleep(6)  # the machine is measured
    swanlab.finish()


def expected(directory: Path) -> dict[str, object]:
    reader = DataStoreReader()
    reader.open(next(directory.glob("*.swanlab")))
    scalars: dict[str, list[list[object]]] = {}
    media: dict[str, list[list[object]]] = {}
    lines = list[str]()
    for data in reader:
        message = Record()
        message.ParseFromString(data)
        which = next(
            name for name in ("scalar", "media", "log", "start", "finish", "column", "save") if message.HasField(name)
        )
        found = getattr(message, which)
        if which == "scalar":
            scalars.setdefault(found.key, []).append(
                [found.step, found.timestamp.ToNanoseconds() / 1e9, repr(found.value.number)]
            )
        elif which == "media":
            media.setdefault(found.key, []).append([found.step, [item.filename for item in found.value.items]])
        elif which == "log":
            lines.append(found.line)
    return {"scalars": scalars, "media": media, "lines": lines}


def main() -> None:
    os.chdir(tempfile.mkdtemp(dir="/tmp"))
    record(Path("logs"))
    made = next(Path("logs").glob("run-*"))
    shutil.rmtree(HERE / "swanlab", ignore_errors=True)
    kept = shutil.ignore_patterns("debug", "requirements.txt")
    shutil.copytree(made, HERE / "swanlab" / made.name, ignore=kept)
    metadata = HERE / "swanlab" / made.name / "files" / "swanlab-metadata.json"
    content = json.loads(metadata.read_text())
    content["runtime"].update(hostname="machine", cwd="/train", python_executable="python", command="python train.py")
    content["swanlab"].pop("run_dir")
    metadata.write_text(json.dumps(content))
    (HERE / "swanlab.expected.json").write_text(json.dumps(expected(made), indent=1))


if __name__ == "__main__":
    main()
