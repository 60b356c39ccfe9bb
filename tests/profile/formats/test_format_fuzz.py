# SPDX-License-Identifier: Apache-2.0
"""Damaged memory histories, and directories of MindSpore and Ascend: errors of ours, or figures that add up.

``make fuzz`` runs many more rounds.
"""

from __future__ import annotations

import json
import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from mindscope.errors import FormatError
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import read_profile
from mindscope.profile.parts_file import columns_of
from mindscope.profile.profile import Profile
from mindscope.profile.timeline.build_timeline import build_timeline
from tests.fuzz.mutations import FILE_MUTATIONS, mutate
from tests.profile.advised_profiles import advised_ascend
from tests.profile.formats.test_memory_snapshot import SNAPSHOT
from tests.profile.formats.test_memory_snapshot import write as write_snapshot
from tests.profile.formats.test_minddata_summary import LINES, SUMMARY
from tests.profile.formats.test_mindspore_profiles import ascend, node
from tests.profile.formats.test_msprof import TASKS, msprof
from tests.profile.kineto.test_fuzz import NUMBERS, check_tables

ROUNDS = int(os.environ.get("MINDSCOPE_FUZZ_ROUNDS", "3")) * 4
FIRST_SEED = int(os.environ.get("MINDSCOPE_FUZZ_SEED", "0"))
_NUMBER = re.compile(rb"(?<![\w.])-?\d+(\.\d+)?")


def snapshot(directory: Path) -> Path:
    return write_snapshot(directory, SNAPSHOT)


def ascend_output(directory: Path) -> Path:
    root = advised_ascend(directory)
    (root / "ASCEND_PROFILER_OUTPUT" / "minddata_pipeline_summary_3.json").write_text(json.dumps(SUMMARY))
    return root


def old_mindspore(directory: Path) -> Path:
    pipeline = {"sampling_interval": 10, "op_info": [node(1, "MapOp", [1, 2]), node(0, "BatchOp", None, [1])]}
    return ascend(
        directory, pipeline_profiling_1__json=json.dumps(pipeline), minddata_pipeline_summary_1__csv=LINES,
        device_queue_profiling_1__txt="0 0 7 3 51200\n0 1 7 1 51201\n1 64 7 12 51201\n",
    )  # fmt: skip


def msprof_results(directory: Path) -> Path:
    root = msprof(directory)
    (root / "mindstudio_profiler_output" / "task_time_20270115080001.csv").write_text(TASKS)
    return root


MAKERS: tuple[Callable[[Path], Path], ...] = (snapshot, ascend_output, old_mindspore, msprof_results)


def damage(path: Path, random: Random) -> None:
    """Breaks one file; in texts, every other time only numbers."""
    data = path.read_bytes()
    if path.suffix == ".pickle" or random.random() < 0.5:
        path.write_bytes(mutate(data, FILE_MUTATIONS, random))
        return
    for _ in range(random.randint(1, 4)):
        places = list(_NUMBER.finditer(data))
        if places:
            chosen = random.choice(places)
            data = data[: chosen.start()] + random.choice(NUMBERS) + data[chosen.end() :]
    path.write_bytes(data)


OTHERS: tuple[object, ...] = (0, -1, 1 << 63, -(1 << 70), 1e300, float("nan"), None, "x", [], {}, True, b"\xff")


def with_other_values(value: Any, random: Random, share: float) -> Any:
    """A copy of a history in which some values are something else."""
    if random.random() < share:
        return random.choice(OTHERS)
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        return {key: with_other_values(each, random, share) for key, each in entries.items()}
    if isinstance(value, list):
        return [with_other_values(each, random, share) for each in cast("list[Any]", value)]
    return value


def check_all(profile: Profile, path: Path) -> None:
    """Also what the viewer does with it: save its parts, index its timeline."""
    check_tables(profile)
    json.dumps(columns_of(profile, 0).header)
    if profile.trace is not None:
        profile.timeline(0, 1_000_000)
        build_timeline(profile.trace, path)


@pytest.mark.parametrize("make", MAKERS)
def test_intact_ones_are_read(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path)
    profile = read_profile(path)
    assert profile.missing.keys() < set(Part)
    assert all(missing.code != "damaged" for missing in profile.missing.values())
    check_all(profile, path)


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + ROUNDS))
@pytest.mark.parametrize("make", MAKERS)
def test_damaged_ones_give_tables_or_a_reason(tmp_path: Path, make: Callable[[Path], Path], seed: int) -> None:
    random = Random(seed)
    path = make(tmp_path)
    files = sorted(each for each in ([path] if path.is_file() else path.rglob("*")) if each.is_file())
    for _ in range(random.randint(1, 3)):
        damage(random.choice(files), random)
    try:
        profile = read_profile(path)
    except FormatError:
        return
    check_all(profile, path)


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + ROUNDS))
def test_histories_of_other_values_give_tables_or_a_reason(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    path = tmp_path / "a.memory_snapshot.pickle"
    path.write_bytes(pickle.dumps(with_other_values(SNAPSHOT, random, random.choice([0.01, 0.05])), 4))
    try:
        profile = read_profile(path)
    except FormatError:
        return
    check_all(profile, path)
