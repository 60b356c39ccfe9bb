# SPDX-License-Identifier: Apache-2.0
from pathlib import Path
from typing import Any

import numpy as np
from harness import Planted, curve, digest, run
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mindscope.integrations.sklearn import MindscopeCallback, record

GENERATOR = np.random.default_rng(0)
ROWS, LABELS = GENERATOR.random((60, 4)), GENERATOR.integers(0, 2, 60)


class Failing(LogisticRegression):
    def predict(self, X: Any) -> Any:
        raise Planted


def train(log_dir: Path | None, fails: bool) -> dict[str, Any]:
    network = MLPClassifier((4,), max_iter=5, early_stopping=True, random_state=0, alpha=0.01)
    pipeline = make_pipeline(StandardScaler(), network)
    if log_dir is not None and fails:
        search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=broken, error_score="raise")
        search.set_callbacks(MindscopeCallback(log_dir)).fit(ROWS, LABELS)
    pipeline.fit(ROWS, LABELS)
    if log_dir is not None:
        record(pipeline, log_dir, {"accuracy": pipeline.score(ROWS, LABELS)})
    return {
        "digest": digest(*network.coefs_, pipeline.predict_proba(ROWS)),
        "curves": {
            "loss_curve_": curve(range(1, 6), network.loss_curve_),
            "validation_scores_": curve(range(1, 6), network.validation_scores_),
            "accuracy": curve([0], [pipeline.score(ROWS, LABELS)]),
        },
    }


def broken(estimator: Any, rows: Any, labels: Any) -> float:
    raise Planted


def more(base: Path) -> None:
    boosted = HistGradientBoostingClassifier(max_iter=3, early_stopping=True, random_state=0).fit(ROWS, LABELS)
    record(boosted, base / "boosted")
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3)
    search.set_callbacks(MindscopeCallback(base / "search")).fit(ROWS, LABELS)
    record(object(), base / "no estimator")


if __name__ == "__main__":
    run(train, more)
