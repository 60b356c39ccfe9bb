# SPDX-License-Identifier: Apache-2.0
"""Tags and thresholds of the built-in checks."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from mindscope.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Parameters:
    """Defaults are quiet on a healthy training. ``*_tags`` are parts of tags, in lower case: a check looks at these.

    A loss of a healthy training may rest when it has come down to ``plateau_share`` of its first level; a spike or a
    divergence is one only when it leads back over half of what the loss had come down. Checks of a loss need one that
    begins above 0.
    """

    loss_tags: tuple[str, ...] = ("loss",)
    gradient_tags: tuple[str, ...] = ("grad",)
    activation_tags: tuple[str, ...] = ("activation", "relu")

    calm_points: int = 20  # finite values that end an episode of NaN or infinity

    spike_window: int = 51  # values before a spike that define the usual level
    spike_factor: float = 4.0  # a spike exceeds the highest of them by this factor
    spike_points: int = 20  # a spike comes down within this number of values

    divergence_block: int = 10  # values in one block, whose median counts
    divergence_blocks: int = 2  # that are too high, one after the other
    divergence_factor: float = 2.0  # too high exceeds the lowest block by this factor

    plateau_points: int = 200  # a plateau needs at least this number of values
    plateau_looks: int = 8  # consecutive checks that find one, each after a tenth more points
    plateau_fall: float = 0.01  # the loss must fall by this share over the second half of the training
    plateau_share: float = 0.2  # or have come down to this share of its first level

    vanishing_below: float = 1e-7  # the largest gradient of a histogram
    exploding_above: float = 1e6
    exploding_factor: float = 100.0  # of the median of the histograms before, if above exploding_least
    exploding_least: float = 10.0
    dead_share: float = 0.99  # of all activations that are zero
    histograms_in_a_row: int = 3  # that vanish or are dead

    stuck_factor: float = 20.0  # of the longest of the last pauses between two steps
    stuck_least_s: float = 120.0
    stuck_most_s: float = 12 * 3600.0  # afterwards a training counts as abandoned

    @classmethod
    def from_text(cls, text: str) -> Parameters:
        """Return the defaults with the changes in ``text``, such as ``spike_factor=6,loss_tags=loss|nll``.

        Raises SettingsError with what is accepted.
        """
        defaults = cls()
        known = {field.name: getattr(defaults, field.name) for field in fields(cls)}
        return replace(defaults, **dict(_parsed(part.strip(), known) for part in text.split(",") if part.strip()))


def _parsed(part: str, known: dict[str, Any]) -> tuple[str, Any]:
    name, sign, value = (each.strip() for each in part.partition("="))
    if not sign or name not in known:
        raise SettingsError(f"alerts: {part!r} sets no parameter, want name=value with one of {', '.join(known)}")
    default = known[name]
    if isinstance(default, tuple):
        return name, tuple(word.strip().lower() for word in value.split("|") if word.strip())
    try:
        number = type(default)(value)
    except ValueError:
        number = -1
    if not 0 < number < float("inf"):
        want = "a whole number above 0" if isinstance(default, int) else "a number above 0"
        raise SettingsError(f"alerts: {name} is {value!r}, want {want}; it is {default} without")
    return name, number
