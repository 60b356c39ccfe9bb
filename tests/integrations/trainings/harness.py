# SPDX-License-Identifier: Apache-2.0
"""Trains in one process without a callback, with one, with one that can't record, and at last one that fails."""

from __future__ import annotations

import hashlib
import json
import random
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np


class Planted(Exception):
    """The error of the training that fails."""


def digest(*arrays: Any) -> str:
    """A digest of every bit of arrays."""
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def curve(steps: Iterable[int], values: Iterable[float]) -> dict[str, list[float]]:
    return {"step": [int(step) for step in steps], "value": [float(value) for value in values]}


def run(train: Callable[..., Mapping[str, Any]], before_failure: Callable[[Path], None] = lambda path: None) -> None:
    """Print the facts of three trainings as JSON.

    ``train(log_dir, fails)`` returns a ``digest`` of its weights, and ``curves`` from the library's own log.
    """
    warnings.simplefilter("ignore")
    base = Path(sys.argv[1])
    (base / "file").write_text("")
    facts = {
        "plain": trained(train, None),
        "ours": trained(train, base / "run"),
        "unusable": trained(train, base / "file" / "below"),
    }
    before_failure(base)
    print(json.dumps(facts), flush=True)
    train(base / "failed", True)


def trained(train: Callable[..., Mapping[str, Any]], log_dir: Path | None) -> dict[str, Any]:
    random.seed(7)
    np.random.seed(7)
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(7)
    facts = train(log_dir, False)
    states = [repr(random.getstate()).encode(), np.random.get_state()[1]]  # type: ignore[index]
    generators = digest(*(np.frombuffer(state, np.uint8) if isinstance(state, bytes) else state for state in states))
    return {**facts, "random": generators, "torch": None if torch is None else digest(torch.get_rng_state().numpy())}
