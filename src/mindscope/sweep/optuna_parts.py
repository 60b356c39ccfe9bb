# SPDX-License-Identifier: Apache-2.0
"""The sampler and the pruner of Optuna for a sweep, and the packages that they need."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from mindscope.errors import MissingPackageError
from mindscope.reasons import Reason

_NEEDED: Mapping[str, tuple[str, ...]] = {"cmaes": ("cmaes",), "gp": ("torch", "scipy")}
"""The packages that a method needs beside Optuna."""


def optuna() -> Any:
    """Return the module. Raises MissingPackageError."""
    if find_spec("optuna") is None:
        raise MissingPackageError(Reason("optuna_missing"))
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def sampler_of(method: str, seed: int | None) -> Any:
    """Return the sampler of a method; a grid takes from a queue. Raises MissingPackageError."""
    samplers = optuna().samplers
    for package in _NEEDED.get(method, ()):
        if find_spec(package) is None:
            raise MissingPackageError(Reason("sampler_missing", method=method, package=package))
    if method in ("grid", "random"):
        return samplers.RandomSampler(seed=seed)
    if method == "gp":
        return samplers.GPSampler(seed=seed)
    if method == "cmaes":
        return samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False)
    if method == "qmc":
        return samplers.QMCSampler(
            seed=0 if seed is None else seed, scramble=True,
            warn_independent_sampling=False, warn_asynchronous_seeding=False,
        )  # fmt: skip
    return samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True, warn_independent_sampling=False)


def pruner_of(pruner: Mapping[str, Any] | None) -> Any:
    """Return the pruner of the keys of a sweep."""
    pruners = optuna().pruners
    if pruner is None:
        return pruners.NopPruner()
    kind, start, warmup = pruner["type"], pruner.get("startup_trials", 5), pruner.get("warmup", 0)
    eta = pruner.get("eta", 3)
    if kind == "hyperband":
        return pruners.HyperbandPruner(pruner.get("min_iter", 1), pruner.get("max_iter", "auto"), eta)
    if kind == "successive_halving":
        least = pruner.get("min_iter") or max(1, pruner.get("max_iter", 1) // eta ** pruner.get("s", 1))
        return pruners.SuccessiveHalvingPruner(min_resource=least, reduction_factor=eta)
    if kind == "percentile":
        return pruners.PercentilePruner(pruner.get("percentile", 25.0), start, warmup)
    if kind == "threshold":
        return pruners.ThresholdPruner(pruner.get("lower"), pruner.get("upper"), warmup)
    median = pruners.MedianPruner(start, warmup)
    return pruners.PatientPruner(median, pruner.get("patience", 3)) if kind == "patient" else median
