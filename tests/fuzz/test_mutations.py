# SPDX-License-Identifier: Apache-2.0
"""Mutated logs by every way to read them: nothing but errors of ours, and no intact record is lost.

``make fuzz`` runs many more rounds; the id of a failing test is its seed, which ``MINDSCOPE_FUZZ_SEED`` takes.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from mindscope.errors import WireError
from mindscope.formats import wire
from mindscope.formats.frames import FrameReader, frame
from mindscope.reading import open_runs, repair_runs
from tests.event_log import DATA, LINEAGE_NAME, MINDSPORE_NAME, TENSORBOARD_NAME, scalars, tensorboard_event
from tests.hostile_values import write_hostile_run

from .mutations import FILE_MUTATIONS, MESSAGE_MUTATIONS, change_field, mutate
from .reading_all import read_by_http, read_in_python

FIRST_SEED = int(os.environ.get("MINDSCOPE_FUZZ_SEED", "0"))
ROUNDS = int(os.environ.get("MINDSCOPE_FUZZ_ROUNDS", "3"))
LARGEST = 60_000
"""Bytes of the records of a real log that are used."""
FOLDERS = (
    *("collector_specified", "custom_loop", "landscape", "ops", "lineage_sweep/run_01"),
    "../tensorboard",
)


def records_of(path: Path) -> list[bytes]:
    payloads = [bytes(payload) for _, payload in FrameReader("").records(path.read_bytes())]
    kept, size = list[bytes](), 0
    for payload in payloads:
        if size + len(payload) <= LARGEST:
            kept.append(payload)
            size += len(payload)
    return kept


LOGS = {
    path: records_of(path)
    for folder in FOLDERS
    for path in sorted((DATA / "mindspore" / folder).rglob("*events.out*"))[:9]
}


def name_of(path: Path) -> str:
    if "tfevents" in path.name:
        return TENSORBOARD_NAME.format(1)
    return (LINEAGE_NAME if path.name.endswith("_lineage") else MINDSPORE_NAME).format(1)


def sentinel(path: Path, number: int) -> bytes:
    """A record that no mutation of messages touches."""
    if "tfevents" in path.name:
        return tensorboard_event(number, {"tag": "sentinel", "simple_value": float(number)})
    return scalars(number, {"sentinel": float(number)})


def write_changed_messages(base: Path, random: Random) -> dict[str, int]:
    """A run a log with a sentinel behind every record, the messages broken and their checksums right.

    Returns how many sentinels each run has.
    """
    counts: dict[str, int] = {}
    for number, (path, payloads) in enumerate(LOGS.items()):
        run = base / f"run {number}"
        run.mkdir(parents=True)
        data = bytearray(frame(payloads[0]))
        for step, payload in enumerate(payloads[1:] * 2, start=1):
            changed = payload
            if random.random() < 0.5:
                changed = change_field(payload, random)
            elif random.random() < 0.3:
                changed = mutate(payload, MESSAGE_MUTATIONS, random)
            data += frame(changed) + sentinel(path, step)
        (run / name_of(path)).write_bytes(data)
        counts[run.name] = 0 if path.name.endswith("_lineage") else 2 * len(payloads) - 2
    return counts


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + ROUNDS))
def test_changed_messages_raise_only_our_errors_and_hide_no_sentinel(tmp_path: Path, seed: int) -> None:
    base = tmp_path / "logs"
    counts = write_changed_messages(base, Random(seed))
    runs = read_in_python(base, tmp_path / "out")
    for id, count in counts.items():
        steps = runs[id].scalars("sentinel", overwritten=True).step.tolist() if count else []
        assert set(range(1, count + 1)) <= set(steps), f"sentinels of {id}"
    write_hostile_run(base / "hostile")
    read_by_http(base, tmp_path / "workspace")


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + ROUNDS))
def test_broken_files_lose_no_record_that_a_search_finds(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    wanted: dict[str, set[int]] = {}
    for number, (path, payloads) in enumerate(LOGS.items()):
        run = tmp_path / "logs" / f"run {number}"
        run.mkdir(parents=True)
        sentinels = {step: sentinel(path, step) for step in range(1, len(payloads))}
        data = frame(payloads[0]) + b"".join(frame(payloads[step]) + sentinels[step] for step in sentinels)
        broken = frame(payloads[0]) + mutate(data[len(frame(payloads[0])) :], FILE_MUTATIONS, random, most=8)
        (run / name_of(path)).write_bytes(broken)
        is_lineage = path.name.endswith("_lineage")
        wanted[run.name] = set() if is_lineage else {step for step, record in sentinels.items() if record in broken}
    runs = read_in_python(tmp_path / "logs", tmp_path / "out")
    for id, steps in wanted.items():
        got = runs[id].scalars("sentinel", overwritten=True).step.tolist() if steps else []
        assert steps <= set(got), f"sentinels of {id}"
    repair_runs(tmp_path / "logs", tmp_path / "whole")
    for id, run in open_runs(tmp_path / "whole").items():
        assert all(damage.kind == "message" for damage in run.store.damages)
        assert run.store.tag_counts() == runs[id].store.tag_counts()
    read_by_http(tmp_path / "logs", tmp_path / "workspace")


def test_changed_fields_are_mostly_messages_still() -> None:
    """Or the fuzzer would only try what breaks the encoding."""
    random = Random(1)
    payload = max((payload for payloads in LOGS.values() for payload in payloads), key=len)
    good = sum(_is_message(change_field(payload, random)) for _ in range(200))
    assert good > 150


def _is_message(payload: bytes) -> bool:
    try:
        return bool(list(wire.split(payload, 0, len(payload))))
    except WireError:
        return False
