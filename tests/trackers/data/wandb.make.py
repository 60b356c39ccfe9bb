# SPDX-License-Identifier: Apache-2.0
"""Makes ``wandb/`` and ``wandb.expected.json`` with wandb 0.31: ``python wandb.make.py`` in an empty directory."""

import json
import math
import os
import shutil
import time
import wave
from pathlib import Path

os.environ |= {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "WANDB_DISABLE_GIT": "true"}
import numpy as np
import wandb
from wandb.proto import wandb_internal_pb2

expected = {}


def sound(path):
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, 8000, 80, "NONE", ""))
        file.writeframes(bytes(160))
    return path


def rows(count, has_media):
    for step in range(count):
        row = {
            "loss": 1 / (step + 1),
            "val/acc": step / count,
            "nested": {"a": step, "b": {"c": step * 0.1}},
            "large": 123456789012 + step,
            "odd": (math.nan, math.inf, -math.inf)[step % 3],
            "flag": step % 2 == 0,
        }
        if has_media and step % 4 == 0:
            row |= {
                "picture": wandb.Image(np.full((4, 6, 3), step, np.uint8), caption=f"step {step}"),
                "pictures": [wandb.Image(np.full((4, 6, 3), shade, np.uint8)) for shade in (0, 255)],
                "weights": wandb.Histogram(np_histogram=([1, 2, 3], [0.0, 0.5, 1.0, 2.0])),
                "cells": wandb.Table(columns=["text", "number"], data=[["x", 1], ["y", 2.5]]),
                "page": wandb.Html(f"<b>{step}</b>"),
                "sound": wandb.Audio(sound("sound.wav")),
                "words": f"words of {step}",
                "points": wandb.Object3D(np.zeros((2, 3))),
            }
        yield row


def train(id, count, has_media=False, exit_code=0, **options):
    run = wandb.init(project="digits", id=id, settings=wandb.Settings(host="laptop"), **options)
    for row in rows(count, has_media):
        wandb.log(row)
    run.summary["best"] = 0.25
    run.alert("Low accuracy", "It is below 0.5", level=wandb.AlertLevel.WARN)
    print(f"trained {id}")
    run.finish(exit_code=exit_code)
    time.sleep(1.1)


train(
    "first1", 12, has_media=True, name="sunny-dew-3", group="folds", tags=["a", "b"], notes="the first try",
    config={"lr": 0.1, "model": {"width": 64, "act": "relu"}, "layers": [1, 2]}, resume="allow",
)  # fmt: skip
train("first1", 5, resume="allow", name="sunny-dew-3")
train("failed", 3, exit_code=1, name="red-sky-4")
Path("sound.wav").unlink()
for log in sorted(Path("wandb").glob("*/*.wandb")):
    (log.parent / "files" / "requirements.txt").unlink(missing_ok=True)
    shutil.rmtree(log.parent / "logs", ignore_errors=True)
for link in Path("wandb").iterdir():
    if not link.is_dir() or link.is_symlink():
        link.unlink()

# values as wandb's own messages hold them, record by record; the framing is read by rules of its own here
HEAD, PIECE, BLOCK = 7, 7, 32768
for log in sorted(Path("wandb").glob("*/*.wandb")):
    data, at, parts, history = log.read_bytes(), HEAD, [], []
    while at + PIECE <= len(data):
        if BLOCK - at % BLOCK < PIECE:
            at += BLOCK - at % BLOCK
            continue
        length, kind = int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 6]
        parts.append(data[at + PIECE : at + PIECE + length])
        at += PIECE + length
        if kind in (1, 4):
            record = wandb_internal_pb2.Record.FromString(b"".join(parts))
            parts = []
            if record.WhichOneof("record_type") == "history":
                items = {"/".join(item.nested_key) or item.key: item.value_json for item in record.history.item}
                history.append(items)
    expected[str(log)] = history
Path("wandb.expected.json").write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")
