# SPDX-License-Identifier: Apache-2.0
"""Builds the log of images and histograms of ``bench_values.py``: fixed seeds, the bytes that torch would write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scalar_logs import FIRST_WALL_TIME, TORCH_NAME, write_once

from mindscope.capture.images import encode_png
from mindscope.formats import tensorboard, tensorboard_schemas, wire
from mindscope.formats.frames import frame

RUNS = [f"run_{number}" for number in range(4)]
IMAGE_TAGS = [f"samples/{number}" for number in range(4)]
HISTOGRAM_TAGS = [f"layer_{number:02d}/weight" for number in range(20)]
STEPS = 500
IMAGES_EVERY, HISTOGRAMS_EVERY = 5, 2
PIXELS = 224
BUCKETS = 380
PICTURES = 16
"""That are different; the log holds them in turns."""

Rng = np.random.Generator
Message = dict[str, Any]


def write_value_log(base: Path) -> Path:
    """Four runs of 400 PNG files of noise and 5,000 histograms each: 363 MB. At the last step both kinds end."""
    directory = base / f"values_{len(RUNS)}x{STEPS}"
    for seed, run in enumerate(RUNS):
        write_once(directory / run / TORCH_NAME, lambda seed=seed: _records(np.random.default_rng(seed)))
    return directory


def _records(rng: Rng) -> Iterator[bytes]:
    yield frame(tensorboard.version_event(FIRST_WALL_TIME))
    pictures = [_picture(rng) for _ in range(PICTURES)]
    for step in range(1, STEPS + 1):
        if step % HISTOGRAMS_EVERY == 0:
            yield from (_record(step, {"tag": tag, "histo": _histogram(rng)}) for tag in HISTOGRAM_TAGS)
        if step % IMAGES_EVERY == 0:
            shown = enumerate(IMAGE_TAGS, step)
            yield from (_record(step, {"tag": tag, "image": pictures[turn % PICTURES]}) for turn, tag in shown)


def _record(step: int, value: Message) -> bytes:
    event = {"wall_time": FIRST_WALL_TIME + step, "step": step, "summary": {"value": [value]}}
    return frame(wire.encode(tensorboard_schemas.EVENT, event))


def _picture(rng: Rng) -> Message:
    pixels = rng.integers(0, 256, (PIXELS, PIXELS, 3), np.uint8)
    return {"height": PIXELS, "width": PIXELS, "colorspace": 3, "encoded_image_string": encode_png(pixels)}


def _histogram(rng: Rng) -> Message:
    limits = np.linspace(-3, 3, BUCKETS)
    counts = rng.poisson(1000 * np.exp(-(limits**2))).astype(np.float64)
    total, weighted = counts.sum(), counts @ limits
    ends = {"min": -3.0, "max": 3.0, "num": total, "sum": weighted, "sum_squares": counts @ limits**2}
    return {**ends, "bucket_limit": limits, "bucket": counts}
