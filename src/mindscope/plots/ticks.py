# SPDX-License-Identifier: Apache-2.0
"""Labels of ticks as the page writes them: 0.5 and 1.0, 20k and 25k, 1e-5."""

from __future__ import annotations

import math
from collections.abc import Sequence

MINUS = "\N{MINUS SIGN}"
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_LEAST, _MOST = 1e-3, 1e15
_LEAST_THOUSANDS = 1e4
_MOST_DECIMALS = 12


def tick_labels(ticks: Sequence[float]) -> list[str]:
    """Return labels of evenly spaced ticks, all with the same number of decimals."""
    largest = max((abs(tick) for tick in ticks), default=0.0)
    step = abs(ticks[1] - ticks[0]) if len(ticks) > 1 else largest
    if largest > 0 and not _LEAST <= largest < _MOST:
        return [_exponential(tick, step) for tick in ticks]
    size, prefix = _prefix(largest)
    decimals = _decimals(step / size)
    return ["0" if tick == 0 else _signed(f"{tick / size:.{decimals}f}") + prefix for tick in ticks]


def log_tick_label(tick: float) -> str:
    """Return the label of a tick that stands alone; a large or small one as a power of ten for Matplotlib."""
    power = math.floor(math.log10(tick) + 1e-9) if tick > 0 else 0
    if _LEAST <= tick < _LEAST_THOUSANDS:
        return value_label(tick)
    mantissa = tick / 10.0**power if tick > 0 else 0.0
    sign = "" if math.isclose(mantissa, 1.0) else f"{mantissa:.3g}\\times"
    return f"${sign}10^{{{power}}}$" if tick > 0 else ""


def value_label(value: float) -> str:
    """Return a value in up to 4 digits."""
    mantissa, _, power = f"{value:.4g}".partition("e")
    return _signed(f"{mantissa}e{int(power)}" if power else mantissa)


def _prefix(largest: float) -> tuple[float, str]:
    if largest < _LEAST_THOUSANDS:
        return 1.0, ""
    return next(pair for pair in _PREFIXES if largest >= pair[0])


def _decimals(step: float) -> int:
    """Return the decimals that tell multiples of a step apart."""
    if not step > 0:
        return 0
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    while decimals < _MOST_DECIMALS and abs(round(step, decimals) - step) > 1e-6 * step:
        decimals += 1
    return decimals


def _exponential(tick: float, step: float) -> str:
    if tick == 0:
        return "0"
    power = math.floor(math.log10(abs(tick)) + 1e-12)
    return _signed(f"{tick / 10.0**power:.{min(6, _decimals(step / 10.0**power))}f}e{power}")


def _signed(text: str) -> str:
    return text.replace("-", MINUS)
