# SPDX-License-Identifier: Apache-2.0
"""The rows that advice rests on are found where the page shows them."""

from __future__ import annotations

from pathlib import Path

from mindscope.profile.advice import advise
from mindscope.profile.advice.places import Place, places_of
from mindscope.profile.open import read_profile
from mindscope.table.rows import EACH, Condition, merged_rows
from tests.profile.advised_profiles import TRACE, advised_ascend, advised_trace
from tests.profile.kineto_events import Events


def places(path: Path) -> dict[str, list[Place]]:
    profile = read_profile(path)
    return {each.code: list(places_of(profile, each, 10)) for each in advise(profile)}


def test_rows_of_a_trace(tmp_path: Path) -> None:
    found = places(advised_trace(tmp_path / TRACE))
    assert {each.kind for own in found.values() for each in own} == {
        "step", "operator", "kernel", "stream", "collective", "moment", "block",
    }  # fmt: skip
    assert {each.name for each in found["synchronization"]} == {"aten::item", "aten::_local_scalar_dense"}
    assert found["pageable_copies"] == [Place("kernel", "Memcpy HtoD (Pageable -> Device)", row=0)]
    assert found["short_kernels"] == [Place("stream", "stream 7", of="GPU 0", row=0)]
    assert found["memory_peak"] == [Place("moment", "", of="GPU 0", start=4_415_000)]
    assert [(each.row, each.start, each.of) for each in found["leak"]] == [
        (step, 1_000_000 * step + 415_000, "GPU 0") for step in (1, 2, 3)
    ]
    longest = found["other_backend"][0]
    assert longest[:1] + longest[3:] == ("collective", 4, 4_700_000, 104_000)


def test_rows_of_an_ascend_profile(tmp_path: Path) -> None:
    found = places(advised_ascend(tmp_path))
    assert found["pipeline_reader"] == [Place("operation", "MapOp_2")]
    assert found["device_queue_empty"] == [Place("batch", step, of="device_queue") for step in ("1", "3")]
    assert found["memory_calls"] == [Place("further", "aclrtMalloc", of="api_statistic", row=0)]
    assert found["garbage_collection"] == [Place("span", "", start=30_500, duration=1_500_000)]


def test_the_row_of_an_operator_is_that_of_the_tab(tmp_path: Path) -> None:
    events = Events()
    for place, (shape, time) in enumerate([([2], 30), ([3], 90), ([4], 60)]):
        events.op("aten::nonzero", 100 * place, time, External_id=place + 1, Input_Dims=[shape])
    events.step(1, 0, 400)
    events.kernel("k", 0, 1)
    profile = events.read(tmp_path)
    (advice,) = [each for each in advise(profile) if each.code == "synchronization"]
    listed = merged_rows(profile.operators, EACH, [Condition("name", "aten::nonzero")])
    for row, place in zip(advice.rows, places_of(profile, advice, 10), strict=True):
        assert listed.columns["shapes"][place.row] == profile.operators.columns()["shapes"][row]
