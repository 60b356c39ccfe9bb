# SPDX-License-Identifier: Apache-2.0
"""Writes ``dvclive/`` with dvclive 3.49, and what pandas reads there as ``dvclive.expected.json``."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
from dvclive import Live

HERE = Path(__file__).parent


def main() -> None:
    os.chdir(HERE)
    shutil.rmtree("dvclive", ignore_errors=True)
    with Live("dvclive", save_dvc_exp=False, dvcyaml=None) as live:
        live.log_params({"lr": 0.1, "optimizer": {"name": "sgd"}})
        for step in range(5):
            live.log_metric("train/loss", 1 / (step + 1))
            live.log_metric("timed", step, timestamp=True)
            if step % 2 == 0:
                live.log_image("last.png", np.full((8, 10, 3), step, np.uint8))
                live.log_image(f"samples/{step}.png", np.full((4, 4, 3), step, np.uint8))
            live.next_step()
        live.log_metric("bad", float("nan"))
        live.log_sklearn_plot("confusion_matrix", [0, 1, 1], [0, 1, 0])
    expected: dict[str, list[list[object]]] = {}
    root = HERE / "dvclive" / "plots" / "metrics"
    for path in sorted(root.rglob("*.tsv")):
        frame = pd.read_csv(path, sep="\t")
        name = path.relative_to(root).with_suffix("").as_posix()
        rows = zip(frame["step"], frame[path.stem], strict=True)
        expected[name] = [[int(step), repr(float(value))] for step, value in rows]
    (HERE / "dvclive.expected.json").write_text(json.dumps(expected, indent=1))


if __name__ == "__main__":
    main()
