# SPDX-License-Identifier: Apache-2.0
"""Damaged debugging data of every format: errors of ours or problems, never another exception.

``make fuzz`` runs many more rounds.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
import pytest

from mindscope.debug.formats.flight_recorder import find_mismatches, read_flight_record
from mindscope.debug.formats.printed_text import printed_tensors
from mindscope.debug.formats.problems import debug_problems
from mindscope.debug.formats.running_data_files import read_execution_order, read_memory_addresses
from mindscope.debug.logs.filter import LogFilter, select_messages
from mindscope.debug.logs.message_index import open_index
from mindscope.debug.open import find_debug_data
from mindscope.errors import FormatError
from mindscope.reading.failures import find_failures, read_failures
from mindscope.reading.printed import printed_values
from tests.debug.formats import test_flight_recorder, test_print_file, test_running_data_files
from tests.debug.formats.made_async import async_file, async_tensor, new_overflow
from tests.debug.formats.made_dumps import (
    ORDER,
    TIME,
    npy_name,
    numbers,
    raw_dump,
    row,
    save,
    save_graph,
    save_settings,
    short_dump,
    statistics,
)
from tests.debug.formats.made_msprobe import dump, operators, tensor
from tests.debug.formats.test_debug_mode import TEXT
from tests.debug.formats.test_mindspore_dump import OLD_IR
from tests.debug.logs.test_logs import CAPTURED, MESSAGES
from tests.fuzz.mutations import FILE_MUTATIONS, mutate
from tests.reading.test_failures import write_failure

ROUNDS = int(os.environ.get("MINDSCOPE_FUZZ_ROUNDS", "3")) * 4
FIRST_SEED = int(os.environ.get("MINDSCOPE_FUZZ_SEED", "0"))


def make_dump(root: Path) -> None:
    short_dump(root, steps=(0,))
    directory = root / "rank_0" / "Net" / "0" / "0"
    statistics(directory, "Max Value,Min Value,L2Norm Value", row("4,-2,3", slot=1), row("nan,inf,3", "Add-op7"))
    (directory / "mapping.csv").write_text(f"8123456789.npy,{npy_name('Add', 'long', TIME)}\n")
    save(directory, "8123456789.npy", numbers(3))
    blocked = async_tensor(np.ones((1, 1, 2, 2, 16), np.float16), format=3, original=[1, 3, 2, 2])
    whole = async_file(input=[blocked], output=[async_tensor(bytes(8), "int4", [16])])
    (directory / f"Cast.Default_a-B_Cast-op9.3.4.{TIME}").write_bytes(whole)
    record = new_overflow(0, 4, 3)
    (directory / f"Opdebug.Node_OpDebug.3.4.{TIME}").write_bytes(
        async_file(output=[async_tensor(record, "uint8", [len(record)])])
    )
    save_graph(root / "rank_0", ORDER, OLD_IR.replace("BEFORE", ""))
    save_settings(root / "rank_0", sample_mode=1, sample_num=6)


def make_msprobe(root: Path) -> None:
    directory = dump(
        root / "step0" / "rank0", {**operators(), "Torch.a.0.forward": {"output": tensor(data_name="a.pt")}}
    )
    torch = pytest.importorskip("torch")
    (directory / "dump_tensor_data").mkdir()
    torch.save(torch.ones(3, 4).t(), directory / "dump_tensor_data" / "a.pt")


def make_debug_mode(root: Path) -> None:
    (root / "log.txt").write_text(TEXT)


def make_tensor_dump(root: Path) -> None:
    for number, name in enumerate(("loss_float32", "grad_in_bfloat16", "loss_float32")):
        np.save(root / f"{name}_{number}.npy", numbers(number))


MAKERS: dict[str, Callable[[Path], object]] = {
    "dump": make_dump, "raw": raw_dump, "msprobe": make_msprobe, "debug_mode": make_debug_mode,
    "tensor_dump": make_tensor_dump,
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + ROUNDS))
def test_damaged_files_of_a_source(tmp_path: Path, name: str, seed: int) -> None:
    random = Random(seed)
    MAKERS[name](tmp_path)
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    for path in random.sample(files, min(len(files), 4)):
        path.write_bytes(mutate(path.read_bytes(), FILE_MUTATIONS, random))
    if random.random() < 0.3:
        random.choice(files).unlink()
    for found in find_debug_data(tmp_path):
        source = found.read()
        count = len(source.tensors)
        for rank in source.ranks:
            for step in source.steps(rank):
                recorded = source.at(step, rank)
                assert recorded.values.shape[0] == len(recorded.order) == len(recorded.digest)
                assert (recorded.tensor < count).all()
                source.overflows(step, rank)
                for place in range(len(recorded.order)):
                    try:
                        source.array(step, rank, place)
                    except FormatError:
                        continue
        assert all(source.problems.values())


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + ROUNDS))
def test_damaged_failures_of_a_run(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    write_failure(tmp_path)
    mindspore = tmp_path / "rank_1" / "rdr"
    mindspore.mkdir(parents=True)
    (mindspore / "SESSION.graph_exec_order.0.20260101000000.txt").write_text(test_running_data_files.ORDER)
    (mindspore / "KERNEL.mem_address_list.20260101000000.txt").write_text(test_running_data_files.MEMORY)
    for rank in (0, 1):
        test_flight_recorder.write(tmp_path, rank, test_flight_recorder.entry(1 + rank))
    (tmp_path / "print.pb").write_bytes(test_print_file.whole())
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    for path in random.sample(files, 5):
        path.write_bytes(mutate(path.read_bytes(), FILE_MUTATIONS, random))
    found = read_failures(find_failures(tmp_path, has_beside=False))
    assert len(found.running_data) == 2
    assert all(problem for each in found.running_data for problem in each.problems.values())
    for _, value in printed_values(tmp_path):
        assert value.text or value.array is not None or value.dtype == ""


def read_log(path: Path) -> None:
    index = open_index(path)
    with suppress(OSError):  # where bytes are no printed value
        index.read_more()
    for rows in select_messages(index, LogFilter(text="a", regex="[0-9]")):
        assert len(rows)


def read_printed(path: Path) -> None:
    for _ in test_print_file.read_print_file(path):
        pass
    list(printed_tensors(path.read_bytes().decode("utf-8", "replace")))


FILES: dict[str, tuple[bytes, Callable[[Path], object]]] = {
    "log": ("\n".join(MESSAGES).encode(), read_log),
    "print": (test_print_file.whole(), read_printed),
    "print_log": (test_print_file.whole(), read_log),
    "output.log": ("".join(CAPTURED).encode(), read_log),
    "flight_0": (
        pickle.dumps({"version": "1", "entries": [test_flight_recorder.entry(1)]}),
        lambda path: find_mismatches([read_flight_record(path)]),
    ),
    "order": (test_running_data_files.ORDER.encode(), lambda path: read_execution_order(path, debug_problems())),
    "memory": (test_running_data_files.MEMORY.encode(), lambda path: read_memory_addresses(path, debug_problems())),
}


@pytest.mark.parametrize("name", FILES)
def test_damaged_single_files(tmp_path: Path, name: str) -> None:
    data, read = FILES[name]
    for seed in range(FIRST_SEED, FIRST_SEED + ROUNDS * 5):
        path = tmp_path / name
        path.write_bytes(mutate(data, FILE_MUTATIONS, Random(seed)))
        try:
            read(path)
        except FormatError:
            continue
