# SPDX-License-Identifier: Apache-2.0
"""Figures have the colors, dashes and groups of the page, by files that ``runColorsGolden.test.ts`` reads too."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mindscope.lineage.parameter_groups import parameter_groups
from mindscope.plots.palette import PALETTE, color_of, dash_of, gray_of, gray_safe_dashes
from mindscope.plots.run_colors import assign_slots, selected_colors

ROOT = Path(__file__).parents[2]
STYLES = ROOT / "ui/src/styles/tokens.css"
COLORS = json.loads((ROOT / "tests/plots/run_colors.json").read_text())
GROUPS = json.loads((ROOT / "tests/plots/run_groups.json").read_text("utf-8"))


def to_hex(lightness: float, chroma: float, hue: float) -> str:
    """Source: Björn Ottosson, "A perceptual color space for image processing"."""
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    rows = ((0.3963377774, 0.2158037573), (-0.1055613458, -0.0638541728), (-0.0894841775, -1.2914855480))
    long, middle, short = ((lightness + p * a + q * b) ** 3 for p, q in rows)
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    encoded = (12.92 * one if one <= 0.0031308 else 1.055 * one ** (1 / 2.4) - 0.055 for one in linear)
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, one))):02x}" for one in encoded)


def test_the_palette_is_the_light_one_of_the_page():
    found = re.findall(r"--series-(\d): light-dark\(oklch\(([^)]*)\)", STYLES.read_text())
    assert [int(number) for number, _ in found] == list(range(len(PALETTE)))
    assert tuple(to_hex(*map(float, color.split())) for _, color in found) == PALETTE


@pytest.mark.parametrize("case", COLORS["slots"], ids=lambda case: len(case["names"]))
def test_runs_have_the_slots_of_a_page_that_is_opened_first(case: dict[str, Any]):
    assert assign_slots(case["names"]) == case["slots"]


@pytest.mark.parametrize("case", COLORS["looks"], ids=lambda case: len(case["selected"]))
def test_selected_runs_have_the_colors_of_the_page(case: dict[str, Any]):
    want = {run: color_of(color) for run, color in case["colors"].items()}
    assert selected_colors(case["selected"], case["preferred"], case["chosen"]) == want


@pytest.mark.parametrize("case", GROUPS, ids=lambda case: "-".join(case["parameters"]) + f"-{len(case['runs'])}")
def test_groups_are_those_of_the_page(case: dict[str, Any]):
    assert list(parameter_groups(case["runs"], case["parameters"]).items()) == list(case["groups"].items())


def test_dashes_are_those_of_the_page():
    first = (ROOT / "ui/src/core/series/dashes.ts").read_text()
    listed = [tuple(map(int, filter(None, found.split(",")))) for found in re.findall(r"dash: \[([\d, ]*)\]", first)]
    assert [dash_of(index) for index in range(3)] == listed
    assert (dash_of(3), dash_of(8)) == ((9, 3, 2, 3), (9, 3, 9, 3, 2, 3, 2, 3))
    assert len({dash_of(index) for index in range(200)}) == 200


def test_lines_of_one_dash_differ_in_gray():
    colors = list(PALETTE) * 3
    dashes = gray_safe_dashes(colors)
    for dash in set(dashes):
        grays = sorted(gray_of(color) for color, own in zip(colors, dashes, strict=True) if own == dash)
        assert all(high - low >= 0.08 for low, high in pairwise(grays))
    assert gray_safe_dashes(PALETTE[:2]) == [0, 0]
