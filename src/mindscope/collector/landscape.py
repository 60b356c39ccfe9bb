# SPDX-License-Identifier: Apache-2.0
"""The entry ``collect_landscape`` says what a loss landscape is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

_OWNER = "collect_specified_data['collect_landscape']"
_KEYS = ("landscape_size", "unit", "create_landscape", "num_samples", "intervals", "keep")
LEAST_SIZE, MOST_SIZE = 3, 256
LEAST_INTERVAL = 3
"""Checkpoints that span a plane."""
_DEFAULT_INTERVALS = (tuple(range(1, 10)), tuple(range(10, 20)))
DEFAULT_KEEP = 16 * 1024**3


@dataclass(frozen=True, slots=True)
class LandscapeSettings:
    """The schedule by which weights are kept, in units of ``unit``, and the settings of the later landscape.

    ``keep`` is the most bytes that all checkpoints take on disk; None for no limit. Three of each interval stay anyway.
    """

    landscape_size: int = 40
    unit: str = "step"
    create_train: bool = True
    create_result: bool = True
    num_samples: int = 128
    intervals: tuple[tuple[int, ...], ...] = _DEFAULT_INTERVALS
    keep: int | None = DEFAULT_KEEP

    def is_due(self, unit: str, number: int) -> bool:
        """Return whether the weights after this step or epoch are kept."""
        return unit == self.unit and any(number in interval for interval in self.intervals)

    def metadata(self, files: Mapping[int, str], step_per_epoch: int) -> dict[str, Any]:
        """Return the content of ``train_metadata.json``: ``files`` are the checkpoints by step or epoch."""
        return {
            "epoch_group": {str(index): list(interval) for index, interval in enumerate(self.intervals)},
            "model_params_file_map": {str(number): file for number, file in files.items()},
            "step_per_epoch": step_per_epoch,
            "unit": self.unit,
            "num_samples": self.num_samples,
            "landscape_size": self.landscape_size,
            "create_landscape": {"train": self.create_train, "result": self.create_result},
        }


def check_landscape(value: Any, default: LandscapeSettings, owner: str | None = _OWNER) -> LandscapeSettings | None:
    """Return the settings out of a dict, completed by ``default``.

    It returns None for None, and for an empty dict as MindSpore takes it.

    ``owner`` is what messages call the dict; None where its keys are arguments.

    Raises:
        TypeError, ValueError: an unknown key or a value of another kind; the text names both and what is accepted.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise TypeError(f"{owner} is {type(value).__name__} {value!r}, want a dict or None")
    given = cast("Mapping[str, Any]", value)
    for key in given:
        if key not in _KEYS:
            raise ValueError(f"{owner}[{key!r}] is unknown, its value is {given[key]!r}; want {', '.join(_KEYS)}")
    return complete(given, default, owner) if given else None


def complete(given: Mapping[str, Any], default: LandscapeSettings, owner: str | None = _OWNER) -> LandscapeSettings:
    """Return ``default`` with the given entries in place of its own. Raises as ``check_landscape``."""

    def name(key: str) -> str:
        return key if owner is None else f"{owner}[{key!r}]"

    kinds = _check_kinds(name("create_landscape"), given.get("create_landscape", {}))
    size = given.get("landscape_size", default.landscape_size)
    samples = given.get("num_samples", default.num_samples)
    intervals, keep = name("intervals"), given.get("keep", default.keep)
    return LandscapeSettings(
        landscape_size=check_whole(name("landscape_size"), size, LEAST_SIZE, MOST_SIZE),
        unit=_check_unit(name("unit"), given.get("unit", default.unit)),
        create_train=kinds.get("train", default.create_train),
        create_result=kinds.get("result", default.create_result),
        num_samples=check_whole(name("num_samples"), samples, 1, None),
        intervals=_check_intervals(intervals, given["intervals"]) if "intervals" in given else default.intervals,
        keep=None if keep is None else check_whole(name("keep"), keep, 1, None, " of bytes, or None"),
    )


def check_whole(name: str, value: Any, least: int, most: int | None, meaning: str = "") -> int:
    """Return a whole number of this range; ``most`` None for no limit.

    Raises TypeError and ValueError with ``name``.
    """
    accepted = f"a whole number from {least}" + (f" to {most}" if most else "") + meaning
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is {type(value).__name__} {value!r}, want {accepted}")
    if value < least or (most and value > most):
        raise ValueError(f"{name} is {value}, want {accepted}")
    return value


def _check_unit(name: str, unit: Any) -> str:
    if unit not in ("step", "epoch"):
        error = ValueError if isinstance(unit, str) else TypeError
        raise error(f"{name} is {unit!r}, want 'step' or 'epoch'")
    return unit


def _check_kinds(name: str, kinds: Any) -> Mapping[str, bool]:
    if not isinstance(kinds, Mapping):
        raise TypeError(f"{name} is {type(kinds).__name__} {kinds!r}, want a dict with 'train' and 'result'")
    given = cast("Mapping[str, Any]", kinds)
    for key, value in given.items():
        if key not in ("train", "result"):
            raise ValueError(f"{name}[{key!r}] is unknown, its value is {value!r}; want 'train' and 'result'")
        if not isinstance(value, bool):
            raise TypeError(f"{name}[{key!r}] is {type(value).__name__} {value!r}, want True or False")
    return given


def _check_intervals(argument: str, intervals: Any) -> tuple[tuple[int, ...], ...]:
    accepted = f"a list of lists of at least {LEAST_INTERVAL} whole numbers"
    if not isinstance(intervals, (list, tuple)):
        raise TypeError(f"{argument} is {type(intervals).__name__} {intervals!r}, want {accepted}")
    for interval in cast("list[Any]", intervals):
        name = f"{argument} holds {interval!r}, want {accepted}"
        if not isinstance(interval, (list, tuple)) or not all(
            type(each) is int for each in cast("list[Any]", interval)
        ):
            raise TypeError(name)
        if len(cast("list[int]", interval)) < LEAST_INTERVAL:
            raise ValueError(name)
    return tuple(tuple(interval) for interval in cast("list[list[int]]", intervals))
