# SPDX-License-Identifier: Apache-2.0
"""Cards: one a bottleneck, with shares that never count a part of a step twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope.profile.advice import advise
from mindscope.profile.advice.cards import KINDS, AdviceCard, cards_of
from mindscope.profile.advice.own_function import OwnFunction, function_text
from mindscope.profile.open import read_profile
from mindscope.profile.texts import ADVICE, Missing
from mindscope.profile.trace.own_code import is_library, own_frame, without_line
from tests.profile.advised_profiles import TRACE, advised_trace
from tests.profile.kineto_events import Events

OF_RANKS = {code for code in ADVICE if code.startswith(("rank", "stage", "slow_rank", "slow_host", "slow_link"))}


def cards(path: Path) -> dict[str, AdviceCard]:
    profile = read_profile(path)
    return {card.kind: card for card in cards_of(profile, advise(profile))}


def test_all_advice_on_a_profile_is_about_a_bottleneck() -> None:
    codes = {code for each in KINDS.values() for code in each.codes}
    assert ADVICE.keys() - codes == OF_RANKS | {"uneven_steps", "straggler", "uneven_stages"}
    assert sum(len(each.codes) for each in KINDS.values()) == len(codes)


def test_advice_about_one_bottleneck_is_one_card(tmp_path: Path) -> None:
    found = cards(advised_trace(tmp_path / TRACE))
    assert list(found) == ["host", "communication", "copy", "compute", "memory"]
    assert [each.code for each in found["host"].advice] == ["host_bound", "synchronization", "short_kernels"]
    assert found["host"].share == pytest.approx(0.873)
    assert found["host"].gain == pytest.approx(1 / (1 - 0.873))
    assert found["compute"].share == pytest.approx(0.01), "of the step, not of the kernels"
    assert sum(card.share for card in found.values()) == pytest.approx(1.0)
    assert (found["memory"].share, found["memory"].gain) == (0.0, None)
    assert found["host"].function == Missing("torch_functions")
    assert found["communication"].function is None


def test_what_says_the_cause_is_the_card(tmp_path: Path) -> None:
    events = Events()
    for step in range(3):
        at = 1000 * step
        events.step(step, at, 1000)
        events.op("aten::_local_scalar_dense", at + 20, 700, External_id=step + 1)
        events.launch(at + 30, 20, step + 1, External_id=step + 1)
        events.kernel("k", at + 600, 100, step + 1)
    found = cards(events.write(tmp_path / TRACE))["host"]
    assert [each.code for each in found.advice] == ["synchronization", "host_bound"]


@pytest.mark.parametrize(("own", "is_said"), [(9, False), (11, True)])
def test_code_of_the_user_is_told_from_that_of_libraries(tmp_path: Path, own: float, is_said: bool) -> None:
    events = Events()
    events.add("python_function", "train.py(30): main", -10, 320)
    for step in range(3):
        at = 100 * step
        events.step(step, at, 100)
        events.add("python_function", "train.py(7): shuffle", at, own)
        events.add("python_function", "train.py(8): <listcomp>", at, 1)
        events.add("python_function", "torch/optim/sgd.py(5): step", at + own, 100 - own)
        events.op("aten::add_", at + own, 20)
    path = events.write(tmp_path / TRACE)
    got = {(row["name"], row["purpose"]): row["host_self"] for row in read_profile(path).functions.rows()}
    assert got == {
        ("train.py(7): shuffle", ""): 3000 * own,  # with its comprehension
        ("train.py: main", "framework"): 3000 * (80 - own),  # no line: the trace has that of its call
    }  # fmt: skip
    found = cards(path).get("host")
    assert (found is not None) == is_said
    if found:
        assert found.advice[0].code == "python_code"
        assert isinstance(found.function, OwnFunction)
        assert found.function.name == "train.py(7): shuffle"
        assert found.function.share == pytest.approx(0.11)


def test_frames_are_those_of_the_user_or_of_libraries() -> None:
    libraries = (
        "torch/nn/modules/module.py(1): _call_impl", "/usr/lib/python3.11/json/encoder.py(2): encode",
        "threading.py(982): run", "PIL/Image.py(3): open", "<built-in method item of Tensor object>", "nn.Module: A_0",
        "/venv/lib/site-packages/any.py(3): f", "mindscope/capture/record.py(225): flush",
    )  # fmt: skip
    assert all(map(is_library, libraries))
    users = (
        "train.py(3): main",
        "data/photos.py(9): load",
        "/home/me/torchlike/net.py(4): forward",
        "test.py(1): <module>",
    )
    assert not any(map(is_library, users))
    assert (
        own_frame(f"{libraries[0]};train.py(8): <genexpr>;train.py(7): step;train.py(3): main") == "train.py(7): step"
    )
    assert own_frame(";".join(libraries)) == ""
    assert without_line("train.py(3): main") == "train.py: main"
    assert function_text(OwnFunction("train.py(3): main", 0.25, "PIL/Image.py(3): open")) == (
        "train.py(3): main, 25 % of the time, calls PIL/Image.py(3): open"
    )
