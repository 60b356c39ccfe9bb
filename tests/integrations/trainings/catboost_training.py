# SPDX-License-Identifier: Apache-2.0
import os
from pathlib import Path
from typing import Any

import numpy as np
from catboost import CatBoostClassifier
from harness import Planted, curve, digest, run

from mindscope.integrations.catboost import MindscopeCallback

GENERATOR = np.random.default_rng(0)
ROWS, LABELS = GENERATOR.random((60, 4)), GENERATOR.integers(0, 2, 60)


class Fails:
    def after_iteration(self, info: Any) -> bool:
        if info.iteration == 3:
            raise Planted
        return True


def train(log_dir: Path | None, fails: bool) -> dict[str, Any]:
    model = CatBoostClassifier(
        iterations=5, depth=2, random_seed=0, thread_count=1, custom_metric=["AUC:hints=skip_train~false"],
        allow_writing_files=False, verbose=False,
    )  # fmt: skip
    callbacks: list[Any] = [] if log_dir is None else [MindscopeCallback(log_dir, model.get_params())]
    callbacks += [Fails()] if fails else []
    model.fit(ROWS[:40], LABELS[:40], eval_set=(ROWS[40:], LABELS[40:]), callbacks=callbacks or None)
    return {
        "digest": digest(model.predict_proba(ROWS), np.float64(model.get_leaf_values())),
        "curves": {
            f"{data}/{metric}": curve(range(1, 6), values)
            for data, metrics in model.get_evals_result().items()
            for metric, values in metrics.items()
        },
    }


def more(base: Path) -> None:
    stopping = CatBoostClassifier(
        iterations=200, learning_rate=1.0, random_seed=0, thread_count=1, allow_writing_files=False, verbose=False,
    )  # fmt: skip
    callback = MindscopeCallback(base / "stopped", stopping.get_params())
    with callback.run:
        stopping.fit(
            ROWS[:40], LABELS[:40], eval_set=(ROWS[40:], LABELS[40:]), early_stopping_rounds=2, callbacks=[callback]
        )
    count = len(stopping.get_evals_result()["validation"]["Logloss"])
    (base / "count").write_text(str(count))
    os.environ["PLANTED"] = "1"


if __name__ == "__main__":
    run(train, more)
