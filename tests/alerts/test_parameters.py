# SPDX-License-Identifier: Apache-2.0
"""Parameters of the checks as texts."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from mindscope.alerts import CHECKS, Parameters
from mindscope.errors import SettingsError

DOCUMENT = (Path(__file__).parents[2] / "docs" / "alerts.md").read_text("utf-8")


def test_what_is_not_set_is_as_ever():
    assert Parameters.from_text("") == Parameters()
    got = Parameters.from_text("spike_factor = 6.5, plateau_points=500,loss_tags=Loss| nll,")
    assert got == Parameters(spike_factor=6.5, plateau_points=500, loss_tags=("loss", "nll"))


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("spike=3", "sets no parameter, want name=value with one of loss_tags"),
        ("spike_factor", "sets no parameter"),
        ("spike_factor=x", "spike_factor is 'x', want a number above 0; it is 4.0 without"),
        ("spike_factor=nan", "want a number above 0"),
        ("spike_factor=inf", "want a number above 0"),
        ("plateau_points=1.5", "want a whole number above 0"),
    ],
)
def test_what_can_not_be_used_is_refused(text: str, want: str):
    with pytest.raises(SettingsError) as refused:
        Parameters.from_text(text)
    assert want in str(refused.value)


def test_every_check_and_parameter_is_documented():
    assert [name for name in CHECKS if f"| `{name}` |" not in DOCUMENT] == []
    assert [each.name for each in fields(Parameters) if f"`{each.name}`" not in DOCUMENT] == []
