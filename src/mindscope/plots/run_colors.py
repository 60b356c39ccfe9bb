# SPDX-License-Identifier: Apache-2.0
"""Colors of runs and groups as a page gives them that is opened for the first time.

Source: ``ui/src/core/runs/colorAssignment.ts``; both are tested with ``tests/plots/run_colors.json``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mindscope.plots.palette import PALETTE, color_of

SLOTS = len(PALETTE)


def assign_slots(names: Sequence[str]) -> dict[str, int]:
    """Return an index into the palette for each name: the first of the least used ones, never that of a neighbor."""
    used: Counter[int] = Counter()
    slots: dict[str, int] = {}
    for index, name in enumerate(names):
        if name not in slots:
            slots[name] = _free_slot(used, _neighbors(slots, names, index))
            used[slots[name]] += 1
    return slots


def selected_colors(selected: Sequence[str], preferred: Mapping[str, int], chosen: Mapping[str, str]) -> dict[str, str]:
    """Return ``#rrggbb`` for each selected name: different ones as long as the palette has enough.

    Args:
        selected: names in the order of the list of runs.
        preferred: an index into the palette by name.
        chosen: colors that people gave, as the annotations hold them, by name.
    """
    colors = {name: chosen[name] for name in selected if name in chosen}
    used: Counter[str] = Counter(colors.values())
    for name in selected:
        slot = str(preferred[name] % SLOTS) if name in preferred else None
        if name not in colors and slot is not None and not used[slot]:
            colors[name] = slot
            used[slot] += 1
    for index, name in enumerate(selected):
        if name not in colors:
            slots = {key: int(color) for key, color in colors.items() if not color.startswith("#")}
            count = Counter({slot: used[str(slot)] for slot in range(SLOTS)})
            colors[name] = str(_free_slot(count, _neighbors(slots, selected, index)))
            used[colors[name]] += 1
    return {name: color_of(colors[name]) for name in selected}


def _neighbors(slots: Mapping[str, int], names: Sequence[str], index: int) -> set[int | None]:
    around = (*names[max(index - 1, 0) : index], *names[index + 1 : index + 2])
    return {slots.get(name) for name in around}


def _free_slot(used: Mapping[int, int], neighbors: set[int | None]) -> int:
    return min((slot for slot in range(SLOTS) if slot not in neighbors), key=lambda slot: used.get(slot, 0))
