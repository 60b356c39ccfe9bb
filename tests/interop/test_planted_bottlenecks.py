# SPDX-License-Identifier: Apache-2.0
"""Real trainings with one planted bottleneck: the first card says it, with the line of code and the gain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

from mindscope.profile.advice import advise
from mindscope.profile.advice.cards import AdviceCard, cards_of
from mindscope.profile.advice.own_function import OwnFunction
from mindscope.profile.open import read_profile
from mindscope.profile.texts import Missing
from tests.interop import planted_trainings as planted
from tests.interop.planted_trainings import Training, profiled

pytestmark = pytest.mark.framework
HERE = "planted_trainings.py"


def cards(path: Path, training: Training, *, with_stack: bool) -> list[AdviceCard]:
    """The cards of a profile, but those of a step that a busy machine made slow."""
    profile = read_profile(profiled(path, training, with_stack=with_stack))
    found = cards_of(profile, advise(profile))
    assert sum(card.share for card in found) <= 1.0
    for card in found:
        assert card.gain == (pytest.approx(1 / (1 - card.share)) if card.share else None)
    return [card for card in found if card.advice[0].code != "uneven_steps"]


def first_card(tmp_path: Path, make: Callable[[], Training], *, with_stack: bool) -> AdviceCard:
    """The first card of a profile. Of three trainings one has it: on a busy machine, small operators may be slow."""
    found = (cards(tmp_path / f"{number}.pt.trace.json", make(), with_stack=with_stack) for number in range(3))
    return next(some[0] for some in found if some)


@pytest.mark.parametrize(
    ("make", "code", "function", "least"),
    [
        (planted.slow_samples, "no_workers", ": decode", 0.3),
        (lambda: planted.slow_samples(2), "data_waiting", "", 0.2),
        (planted.ReadsNumbers, "item_calls", ": after", 0.001),
        (planted.AddsElements, "small_operators", ": loss_of", 0.2),
        (planted.Loops, "python_code", ": decode", 0.3),
        (planted.LogsImages, "logging_calls", ": after", 0.2),
    ],
)
def test_the_planted_bottleneck_is_the_first_card_with_its_function(
    tmp_path: Path, make: Callable[[], Training], code: str, function: str, least: float
) -> None:
    first = first_card(tmp_path, make, with_stack=True)
    assert first.advice[0].code == code
    assert first.share > least
    if not function:
        assert first.function == Missing("torch_worker_functions")
        return
    assert isinstance(first.function, OwnFunction)
    assert HERE in first.function.name
    assert first.function.name.endswith(function)
    assert first.function.share <= 1.0
    if code == "logging_calls":
        assert "mindscope/capture/" in first.function.callee


@pytest.mark.parametrize(
    ("make", "code"),
    [(planted.slow_samples, "no_workers"), (planted.Loops, "python_gaps"), (planted.ReadsNumbers, "item_calls")],
)
def test_without_stacks_the_card_says_how_to_record_the_function(
    tmp_path: Path, make: Callable[[], Training], code: str
) -> None:
    first = first_card(tmp_path, make, with_stack=False)
    assert first.advice[0].code == code
    assert isinstance(first.function, Missing)
    assert first.function.remedy == "with_stack=True"


@pytest.mark.parametrize("with_stack", [False, True])
def test_a_healthy_training_has_no_card(tmp_path: Path, with_stack: bool) -> None:
    """One of three: on a busy machine, others make a training wait, which a card may rightly say."""
    paths = (tmp_path / f"{number}.pt.trace.json" for number in range(3))
    assert any(not cards(path, Training(), with_stack=with_stack) for path in paths)
