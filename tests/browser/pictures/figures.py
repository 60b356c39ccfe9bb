# SPDX-License-Identifier: Apache-2.0
"""The figures of docs/plots.md: white as paper, also in dark documents."""

from __future__ import annotations

import io
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import mindscope

FIGURES: dict[str, dict[str, Any]] = {
    "plots-groups": {"tags": "loss", "by": "lr", "smoothing": 0.6, "log_y": True},
    "plots-tags": {
        "tags": ["loss", "accuracy"], "runs": ["*seed0"], "smoothing": 0.9, "best": "auto", "size": "double",
    },
}  # fmt: skip
"""The arguments of ``Runs.plot`` by the names of the pictures."""
DPI = 150


def write_figures(folder: Path, room: Path) -> None:
    """Write each figure; ``room`` is for the runs."""
    train(room / "seeds")
    runs = mindscope.open_runs(room / "seeds")
    for name, arguments in FIGURES.items():
        runs.plot(**arguments).savefig(png := io.BytesIO(), format="png", dpi=DPI)
        with Image.open(png) as image:
            for theme in ("light", "dark"):
                image.convert("RGB").save(folder / f"{name}-{theme}.webp", quality=60, method=6)


def train(base: Path) -> None:
    """Write the curves of three learning rates with five seeds each."""
    random = np.random.default_rng(0)
    for rate, seed in product((0.003, 0.01, 0.03), range(5)):
        mindscope.init(name=f"lr{rate}-seed{seed}", dir=str(base), config={"lr": rate, "seed": seed})
        speed = rate * (1 + 0.15 * random.normal())
        for step in range(1, 401):
            loss = 2.3 * np.exp(-speed * step) + 0.1 + 0.08 * random.normal() * np.exp(-step / 300)
            accuracy = 0.96 - 0.86 * np.exp(-1.3 * speed * step) + 0.01 * random.normal()
            mindscope.log({"loss": abs(loss), "accuracy": accuracy}, step)
        mindscope.finish()
