# SPDX-License-Identifier: Apache-2.0
"""Groups of runs with equal parameters, named as on the page; many different numbers become ranges.

Source: ``ui/src/core/runs/parameterGroups.ts`` and ``bins.ts``; both are tested with ``tests/plots/run_groups.json``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple, TypeAlias, TypeGuard

from mindscope.lineage.cell import Cell
from mindscope.natural_order import natural_key

_MANY = 9
"""From this many different numbers on, they are grouped by ranges."""
_MOST_BINS = 5
_WIDE = 50
"""Largest over smallest number from which on ranges are equally wide on a logarithmic scale."""
_MISSING, _MINUS = "–", "\N{MINUS SIGN}"
_LARGE, _LONG_FRACTION, _SMALL, _TINY, _LONGEST = 1e15, 1e5, 1e-3, 1e-4, 8
"""Beyond these sizes a setting has an exponent, or no fraction; below ``_SMALL`` only if it is longer."""
_LEAST_DIGITS, _MOST_DIGITS = 1e-6, 1e21
"""Between these sizes JavaScript writes numbers without an exponent."""

Bin = tuple[float, float]
Cells: TypeAlias = "Mapping[str, Cell | None]"


class _Share(NamedTuple):
    """The name of a run under a parameter, and its order among the others."""

    text: str
    low: float
    is_missing: bool

    @property
    def key(self) -> tuple[bool, float, object]:
        return self.is_missing, self.low, natural_key(self.text)


def parameter_groups(runs: Sequence[str], parameters: Mapping[str, Cells]) -> dict[str, list[str]]:
    """Return the runs of each group, such as "lr = 0.1, optimizer = adam", in the order of the values.

    ``parameters`` has the cell of each run for each parameter.
    """
    shares = [_share_of(name, cells) for name, cells in parameters.items()]
    groups: dict[str, list[str]] = {}
    keys: dict[str, tuple[object, ...]] = {}
    for run in runs:
        parts = [share(run) for share in shares]
        name = ", ".join(part.text for part in parts)
        groups.setdefault(name, []).append(run)
        keys.setdefault(name, tuple(part.key for part in parts))
    return {name: groups[name] for name in sorted(groups, key=keys.__getitem__)}  # type: ignore[arg-type]


def _share_of(name: str, cells: Cells) -> Callable[[str], _Share]:
    bins = _bins_of([float(cell) for cell in cells.values() if _is_number(cell)])

    def share(run: str) -> _Share:
        cell = cells.get(run)
        low, high = _bin_of(bins, cell)
        if low is None or high is None:
            return _Share(f"{name} = {_MISSING if cell is None else _text(cell)}", math.inf, cell is None)
        text = setting_text(low) if low == high else f"{setting_text(low)} … {setting_text(high)}"
        return _Share(f"{name} = {text}", low, is_missing=False)

    return share


def _is_number(cell: object) -> TypeGuard[int | float]:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _bins_of(values: Sequence[float]) -> list[Bin]:
    """Return ranges over many different numbers, whose ends are values; none if each can be a group of its own."""
    numbers = sorted({value for value in values if math.isfinite(value)})
    if len(numbers) < _MANY:
        return []
    is_log = numbers[0] > 0 and numbers[-1] / numbers[0] >= _WIDE
    scaled = [math.log(number) if is_log else number for number in numbers]
    bins: dict[int, Bin] = {}
    for number, at in zip(numbers, scaled, strict=True):
        index = min(_MOST_BINS - 1, math.floor(_MOST_BINS * (at - scaled[0]) / (scaled[-1] - scaled[0])))
        bins[index] = (bins.get(index, (number, number))[0], number)
    return list(bins.values())


def _bin_of(bins: Sequence[Bin], cell: Cell | None) -> tuple[float, float] | tuple[None, None]:
    if not isinstance(cell, int | float) or isinstance(cell, bool):
        return None, None
    return next(((low, high) for low, high in bins if low <= cell <= high), (None, None))


def _text(cell: Cell) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return _digits(cell) if isinstance(cell, int | float) else str(cell)


def setting_text(value: float) -> str:
    """Return a setting as people write it: a whole number in all its digits, others in up to five, or in exponents."""
    if value == 0 or not math.isfinite(value):
        return _digits(value)
    size = abs(value)
    is_whole = float(value).is_integer() or size >= _LONG_FRACTION
    digits = _digits(math.floor(size + 0.5) if is_whole else float(f"{size:.5g}"))
    is_long = size < _TINY or size >= _LARGE or (size < _SMALL and len(digits) > _LONGEST)
    return (_MINUS if value < 0 else "") + (_exponential(size) if is_long else digits)


def _digits(value: float) -> str:
    """Return a number as JavaScript writes it, which is what the page shows."""
    text = repr(float(value))
    if math.isfinite(value) and _LEAST_DIGITS <= abs(value) < _MOST_DIGITS:
        text = format(Decimal(text), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, _, power = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN", "0.0": "0", "-0.0": "0"}.get(
        text, text
    ).partition("e")
    return f"{mantissa}e{int(power):+d}" if power else mantissa


def _exponential(size: float) -> str:
    mantissa, _, power = f"{size:.3e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}".replace("-", _MINUS)
