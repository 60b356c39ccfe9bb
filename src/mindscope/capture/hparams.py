# SPDX-License-Identifier: Apache-2.0
"""Hyperparameters and metrics of TensorBoard's plugin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from mindscope.capture.array_conversion import to_scalar
from mindscope.capture.masking.masked_parameters import masked_parameter, masked_parameters
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.formats.kinds.tensorboard_plugins import hparams_to_tensorboard
from mindscope.types import Message


def hparams_values(
    parameters: Any, metrics: Iterable[str] = (), domains: Any = None, start_time_s: float | None = None
) -> list[Message]:
    """Return the Summary.Values of parameters: a dict of names to texts, numbers, bools or None, which is left out.

    ``domains`` has the values that a parameter can have. The last value says that the session succeeded. Secrets are
    masked. Raises ValueRejectedError.
    """
    given = _names("hparams", parameters)
    plain = masked_parameters({name: _plain(name, value) for name, value in given.items() if value is not None})
    allowed = {name: _domain(name, given, values) for name, values in _names("domains", domains or {}).items()}
    return hparams_to_tensorboard(plain, metrics, allowed, start_time_s=start_time_s)


def _names(what: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeRejectedError(f"{what} is {type(value).__name__}, want a dict from names to values")
    return {str(name): each for name, each in cast("Mapping[Any, Any]", value).items()}


def _plain(name: str, value: Any) -> str | float:
    if isinstance(value, str):
        return value
    try:
        return to_scalar(value)
    except (TypeError, ValueError):
        raise ValueRejectedError(
            f"hyperparameter {name!r} is {type(value).__name__}, want a text, a number or a bool; str() of it is a text"
        ) from None


def _domain(name: str, given: Mapping[str, Any], values: Any) -> Sequence[str | float]:
    if name not in given or not isinstance(values, (list, tuple)):
        raise ValueRejectedError(f"hparam_domain_discrete[{name!r}] is no list of the values of a hyperparameter")
    return [masked_parameter(name, _plain(name, value)) for value in cast("list[Any]", values)]
