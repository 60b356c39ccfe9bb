# SPDX-License-Identifier: Apache-2.0
"""Files of running data recorders: MindSpore's of all versions, and our own."""

from __future__ import annotations

from pathlib import Path

from mindscope.debug import LastData, write_running_data
from mindscope.debug.formats.problems import debug_problems
from mindscope.debug.formats.running_data_files import (
    read_execution_order,
    read_memory_addresses,
    running_data_files,
)

ORDER = """================================================================
execution_order size: 2
0:
\tDefault/conv1-Conv2d/Conv2D-op1: (x, w)
\tstream id: 3
\tgraph id: 0
1:
\tDefault/relu-ReLU/ReLU-op2
================================================================
"""
MEMORY = """Default/conv1-Conv2d/Conv2D-op1
kernel_inputs 2
&0x7f00 #4096
&0x7f10 #16
kernel_workspaces 0
kernel_outputs 1
&0x8000 #64

Default/relu-ReLU/ReLU-op2
kernel_inputs 1
&0x8000 #64
"""


def test_names_say_module_graph_and_time(tmp_path: Path) -> None:
    for name in (
        *("SESSION.graph_exec_order.3.20240102030405.txt", "PIPELINE.0_parse.20240102030404.ir", "notes"),
        *("hwopt_d_before_graph_0.ir", "OPTIMIZER.somas_mem_info.1.20240102030405.txt", "SESSION.graph_build.0.pb"),
    ):
        (tmp_path / name).write_text("")
    found = [(each.module, each.name, each.graph, each.time, each.kind) for each in running_data_files(tmp_path)]
    assert found == [
        ("SESSION", "graph_build", 0, "", "pb"),
        ("", "hwopt_d_before_graph_0", None, "", "ir"),
        ("PIPELINE", "0_parse", None, "20240102030404", "ir"),
        ("OPTIMIZER", "somas_mem_info", 1, "20240102030405", "txt"),
        ("SESSION", "graph_exec_order", 3, "20240102030405", "txt"),
    ]
    assert [each.is_graph for each in running_data_files(tmp_path)] == [True, True, True, False, False]


def test_files_of_our_own_recorder_are_listed(tmp_path: Path) -> None:
    data = LastData(state={"step": 3}, order=[("net.conv1", "Conv2d", "[1]")], error=ValueError("broken"))
    directory = write_running_data(tmp_path, data, {})
    assert directory is not None
    assert {each.name for each in running_data_files(directory)} >= {"state", "exec_order", "exception"}


def test_order_of_execution(tmp_path: Path) -> None:
    path = tmp_path / "SESSION.graph_exec_order.0.txt"
    path.write_text(ORDER)
    found = read_execution_order(path, debug_problems())
    assert [tuple(each) for each in found] == [
        (0, "Default/conv1-Conv2d/Conv2D-op1: (x, w)", "stream id: 3", "graph id: 0"),
        (1, "Default/relu-ReLU/ReLU-op2", "", ""),
    ]


def test_addresses_of_memory(tmp_path: Path) -> None:
    path = tmp_path / "KERNEL.mem_address_list.txt"
    path.write_text(MEMORY)
    found = read_memory_addresses(path, debug_problems())
    assert [(each.operator[-3:], each.part, each.address, each.size) for each in found] == [
        ("op1", "kernel_inputs", "0x7f00", 4096), ("op1", "kernel_inputs", "0x7f10", 16),
        ("op1", "kernel_outputs", "0x8000", 64), ("op2", "kernel_inputs", "0x8000", 64),
    ]  # fmt: skip


def test_every_cut_gives_what_is_before_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for text, reader in ((ORDER, read_execution_order), (MEMORY, read_memory_addresses)):
        counts: list[int] = []
        for end in range(len(text)):
            path.write_text(text[:end])
            counts.append(len(list(reader(path, debug_problems()))))
        assert counts == sorted(counts)
    problems = debug_problems()
    assert list(read_memory_addresses(tmp_path / "none", problems)) == []
    assert [each.code for each in problems.values()] == ["debug_file_unreadable"]
