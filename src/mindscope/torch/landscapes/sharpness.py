# SPDX-License-Identifier: Apache-2.0
"""Sharpness of a minimum: curvature of the loss around the weights, and the worst loss nearby."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from os import PathLike
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from mindscope.capture import SummaryRecord
from mindscope.landscape.spectrum import HessianTrace, SpectralDensity, spectral_density, top_eigenpairs, trace
from mindscope.torch.landscapes.batches import fixed_batches
from mindscope.torch.landscapes.checkpoints import Checkpoint, Given, StateReader, find_checkpoints
from mindscope.torch.landscapes.hessian import Hessian
from mindscope.torch.landscapes.losses_factory import given_network
from mindscope.torch.landscapes.network_loss import LossFunction, NetworkLoss
from mindscope.torch.landscapes.options import DTYPES, Options
from mindscope.torch.landscapes.plane_weights import unflatten
from mindscope.torch.landscapes.problem import mean_statistics

TOLERANCE = 1e-3
"""Residual of an eigenvalue, as a share of the largest one. The error of the eigenvalue is about its square."""
QUANTILES = 1000
"""Values of the histogram of a spectral density."""


@dataclass(frozen=True, slots=True)
class Sharpness:
    """The loss around weights, over a part of the data."""

    step: int
    loss: float
    top_eigenvalues: tuple[float, ...]
    """Largest eigenvalues of the Hessian, descending."""
    residuals: tuple[float, ...]
    """Length of the Hessian times the eigenvector minus the eigenvalue times the eigenvector, for each."""
    trace: HessianTrace
    spectral_density: SpectralDensity
    worst_loss: float
    """The loss after one step of length ``rho`` along the gradient."""
    rho: float
    num_samples: int
    seed: int
    normalization: str
    dtype: str

    def record(self, record: Any) -> None:
        """Add the scalars and the histogram to a ``SummaryRecord``, and record them at ``step``."""
        for number, value in enumerate(self.top_eigenvalues, 1):
            record.add_value("scalar", f"sharpness/top_eigenvalue_{number}", value)
        record.add_value("scalar", "sharpness/trace", self.trace.value)
        record.add_value("scalar", "sharpness/loss", self.loss)
        record.add_value("scalar", "sharpness/worst_loss", self.worst_loss)
        record.add_value("histogram", "sharpness/spectral_density", _quantiles(self.spectral_density))
        record.record(self.step)


def sharpness(
    network: nn.Module | Callable[[], nn.Module],
    loss_fn: LossFunction | None,
    data: Iterable[Any],
    checkpoint: Given | None = None,
    *,
    step: int | None = None,
    num_samples: int = 2048,
    seed: int = 0,
    normalization: str = "as_trained",
    dtype: str | None = None,
    eigenvalues: int = 2,
    lanczos_steps: int = 60,
    trace_probes: int = 16,
    density_probes: int = 2,
    density_steps: int = 30,
    rho: float = 0.05,
    output: str | PathLike[str] | None = None,
) -> Sharpness:
    """Measure the curvature of the loss at a checkpoint, in evaluation mode, over the first samples of the data.

    The Hessian is never made: each estimate takes products with vectors, of which one costs about four evaluations of
    the gradient. There are at most ``eigenvalues * lanczos_steps + trace_probes + density_probes * density_steps``.

    Args:
        network: a network, or a function that returns one.
        loss_fn: called as ``loss_fn(prediction, label)``, the label is the last column of a batch. None if the network
            returns its loss.
        data: batches.
        checkpoint: a file, a state dict, or a run directory, of which the last checkpoint is taken. None for the
            weights of the network.
        step: at which results are recorded; that of the checkpoint if None.
        num_samples: at most.
        seed: of the order of a shuffling loader, and of random vectors.
        normalization: ``as_trained`` with the statistics of the checkpoint; ``re_estimated`` from these samples.
        dtype: None for that of the network, ``float32`` or ``float64``.
        eigenvalues: how many of the largest.
        lanczos_steps: products for each, at most; about 10 to 30 are needed.
        trace_probes: random vectors for the trace (Hutchinson 1990).
        density_probes: random vectors for the spectral density (stochastic Lanczos quadrature, Ghorbani et al. 2019).
        density_steps: products for each of them.
        rho: radius of the worst loss. It is the loss at the weights plus ``rho`` times the gradient divided by its
            norm, one step of ascent, as in sharpness-aware minimization (Foret et al. 2021, equation 2, p = 2).
        output: directory of an event file for scalars and histogram ``sharpness/...``; the run directory if one is
            given, else nothing is recorded.

    Raises:
        TypeError, ValueError: arguments that can't be used, a checkpoint of another network, a loss without finite
            curvature.
        FileNotFoundError: there is no checkpoint.
    """
    if dtype not in (None, "float32", "float64"):
        raise ValueError(f"dtype is {dtype!r}, want None, float32 or float64")
    options = Options(num_samples, seed, normalization, dtype)
    made, loss_fn = given_network(network, loss_fn)
    checkpoints = find_checkpoints(checkpoint, made)
    hessian = _hessian(NetworkLoss(made, loss_fn, DTYPES[dtype]), data, checkpoints.checkpoints[-1], options)
    value = hessian.value()
    if not math.isfinite(value):
        raise ValueError(f"the loss is {value} here, and has no curvature where it is NaN or Infinity")
    pairs = top_eigenpairs(hessian.multiply, hessian.draw, eigenvalues, hessian.most_vectors(lanczos_steps), TOLERANCE)
    gradient = hessian.gradient()
    norm = float(cast(Any, gradient).norm())
    result = Sharpness(
        step=checkpoints.step() if step is None else step,
        loss=value,
        top_eigenvalues=tuple(pair.value for pair in pairs),
        residuals=tuple(pair.residual for pair in pairs),
        trace=trace(hessian.multiply, hessian.draw, trace_probes),
        spectral_density=spectral_density(
            hessian.multiply, hessian.draw, density_probes, hessian.most_vectors(density_steps)
        ),
        worst_loss=hessian.value(gradient * (rho / norm) if norm else None),
        rho=rho, num_samples=hessian.num_samples, seed=seed, normalization=normalization,
        dtype=hessian.dtype_name,
    )  # fmt: skip
    directory = checkpoints.run if output is None else output
    if directory is not None:
        with SummaryRecord(directory, raise_exception=True) as record:
            result.record(record)
    return result


def _hessian(loss: NetworkLoss, data: Iterable[Any], checkpoint: Checkpoint, options: Options) -> Hessian:
    """Return the Hessian at a checkpoint, over the first samples."""
    batches = fixed_batches(data, options.num_samples, options.seed).to(loss.device)
    reader = StateReader(loss)
    with reader.vectors([checkpoint]) as states:
        vector = cast(Any, torch).from_numpy(states[0]).to(loss.device, copy=True)
    typed = {name: value.to(loss.trainable[name].dtype) for name, value in unflatten(vector, loss.trainable).items()}
    buffers = reader.statistics(checkpoint)
    if options.normalization == "re_estimated" and buffers:
        with loss.evaluating():
            buffers |= mean_statistics(loss.batch_statistics(typed, element) for element in batches.elements)
    return Hessian(loss, typed, buffers, batches, options.seed)


def _quantiles(density: SpectralDensity) -> NDArray[np.float64]:
    """Return values with this density."""
    steps = np.diff(density.values) * (density.density[1:] + density.density[:-1]) / 2
    shares = np.concatenate([[0.0], np.cumsum(steps)])
    values: Any = cast(Any, np).interp((np.arange(QUANTILES) + 0.5) / QUANTILES * shares[-1], shares, density.values)
    return values
