# SPDX-License-Identifier: Apache-2.0
"""Live blocks, their groups, curves and flame graphs, against a plain scan."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mindscope.profile.memory.block_groups import breakdown, group_texts, own_line
from mindscope.profile.memory.curves import device_curves
from mindscope.profile.memory.leak_hints import leak_hints
from mindscope.profile.memory.live_blocks import allocated_rows, largest, live_rows, of_device
from mindscope.profile.memory.live_bytes import LiveBytes
from mindscope.profile.memory.stack_tree import StackTree
from mindscope.profile.tables.memory import UNKNOWN_TIME, MemoryBlocks, MemoryCurve
from mindscope.profile.timeline.timeline_window import Range
from mindscope.table.columns import TextColumn, integers_of

from .made_memory import memory_blocks, plainly_live, plainly_summed

ranges = st.builds(Range, st.integers(-10, 30), st.integers(1, 12), st.integers(1, 8))


@given(memory_blocks(), st.integers(-8, 34))
def test_live_blocks(blocks: MemoryBlocks, time: int) -> None:
    for device in (None, "GPU 0"):
        rows = live_rows(blocks, time, device)
        assert rows.tolist() == plainly_live(blocks, time, device)
        assert blocks.live_at(time, device).size.tolist() == blocks.size[largest(blocks.size, rows, 0, 99)].tolist()


@given(memory_blocks(), st.integers(0, 20), st.integers(1, 12))
def test_pages_follow_each_other(blocks: MemoryBlocks, offset: int, count: int) -> None:
    rows = np.arange(len(blocks))
    in_order = sorted(rows.tolist(), key=lambda row: (-int(blocks.size[row]), row))
    assert largest(blocks.size, rows, offset, count).tolist() == in_order[offset : offset + count]


@given(memory_blocks(), st.integers(-8, 34))
def test_breakdown(blocks: MemoryBlocks, time: int) -> None:
    texts = group_texts(blocks, "operator")
    assert texts is not None
    found = breakdown(texts, blocks.size, live_rows(blocks, time))
    want = plainly_summed(blocks, plainly_live(blocks, time), "operator")
    assert dict(zip(found.text, found.size.tolist(), strict=True)) == want
    assert found.size.tolist() == sorted(found.size.tolist(), reverse=True)


@given(memory_blocks(), ranges)
def test_stacked_areas(blocks: MemoryBlocks, span: Range) -> None:
    """In each pixel the areas are those of the moment with the greatest sum, and no such moment is lost."""
    assert blocks.operator is not None
    device = "GPU 0"
    live = LiveBytes(blocks, blocks.operator, np.flatnonzero(of_device(blocks, device)))
    window = live.window(span)

    def areas(time: int) -> list[int]:
        found = plainly_summed(blocks, plainly_live(blocks, time, device), "operator")
        return [found.get(text, 0) for text in live.texts]

    assert window.before.tolist() == areas(span.begin - 1)
    drawn = {pixel: place for place, pixel in enumerate(window.pixel.tolist())}
    last = window.before.tolist()
    for pixel in range(span.width):
        begin = span.begin + pixel * span.pixel_ns
        moments = [areas(time) for time in range(begin, begin + span.pixel_ns)]
        if pixel in drawn:
            column = window.highest[:, drawn[pixel]].tolist()
            last = window.last[:, drawn[pixel]].tolist()
            assert column in moments
            assert max(sum(column), sum(moments[0])) == max(sum(each) for each in moments)
        assert last == moments[-1]


@given(memory_blocks())
def test_peak_of_live_blocks(blocks: MemoryBlocks) -> None:
    assert blocks.stack is not None
    live = LiveBytes(blocks, blocks.stack, np.arange(len(blocks)))
    sums = [sum(blocks.size[plainly_live(blocks, time)].tolist()) for time in range(-8, 34)]
    assert live.peak == max(sums)


def test_further_groups_share_an_area() -> None:
    sizes = np.arange(20, dtype=np.int64)
    blocks = MemoryBlocks(
        device=TextColumn.constant("CPU", 20), size=sizes, allocated_at=np.zeros(20, np.int64),
        freed_at=np.full(20, UNKNOWN_TIME), operator=TextColumn.of(f"op{each}" for each in sizes),
    )  # fmt: skip
    assert blocks.operator is not None
    live = LiveBytes(blocks, blocks.operator, np.arange(20))
    assert (live.texts, live.has_others) == ([f"op{each}" for each in range(19, 10, -1)], True)
    assert live.window(Range(0, 1, 1)).last[:, 0].tolist() == [*range(19, 10, -1), sum(range(11))]


@given(memory_blocks(), st.integers(-8, 34), st.integers(1, 9))
def test_flame_by_stack(blocks: MemoryBlocks, time: int, most: int) -> None:
    assert blocks.stack is not None
    assume(any(blocks.stack.values))
    tree = StackTree(blocks)
    rows = live_rows(blocks, time)
    want: dict[tuple[str, ...], int] = defaultdict(int)
    for row in rows.tolist():
        frames = blocks.stack[row].split(";")[::-1]
        for depth in range(1, len(frames) + 1):
            want[tuple(frames[:depth])] += int(blocks.size[row])
    whole = tree.flame(blocks.size, rows, 99)
    paths: list[tuple[str, ...]] = []
    for parent, name in zip(integers_of(whole.parent), integers_of(whole.name), strict=True):
        paths.append((*(paths[parent] if parent >= 0 else ()), tree.names[name]))
    assert dict(zip(paths, whole.total.tolist(), strict=True)) == want
    assert int(whole.own.sum()) == int(blocks.size[rows].sum())
    some = tree.flame(blocks.size, rows, most)
    assert len(some.total) + some.left_out == len(whole.total)
    assert all(parent < node for node, parent in enumerate(some.parent.tolist()))


def test_without_stacks_modules_and_operators_are_the_frames() -> None:
    blocks = MemoryBlocks(
        device=TextColumn.constant("CPU", 2), size=np.array([4, 8]), allocated_at=np.array([0, 1]),
        freed_at=np.array([9, 9]), operator=TextColumn.of(["aten::mm", ""]), module=TextColumn.of(["Net/fc", ""]),
    )  # fmt: skip
    tree = StackTree(blocks)
    flame = tree.flame(blocks.size, np.arange(2), 99)
    assert [tree.names[name] for name in flame.name.tolist()] == ["Net", "fc", "aten::mm", ""]
    assert flame.parent.tolist() == [-1, 0, 1, -1]


@given(st.lists(st.tuples(st.integers(-5, 30), st.integers(-9, 99), st.booleans()), max_size=40), ranges)
def test_curves_lose_no_spike(points: list[tuple[int, int, bool]], span: Range) -> None:
    points.sort()
    curve = MemoryCurve(
        time=np.array([time for time, *_ in points], np.int64),
        device=TextColumn.of("CPU" if is_host else "GPU 0" for *_, is_host in points),
        allocated=np.array([size for _, size, _ in points], np.int64),
        reserved=np.array([size + 100 for _, size, _ in points], np.int64),
    )
    for each in device_curves(curve):
        own = [(time, size) for time, size, is_host in points if is_host == (each.device == "CPU")]
        assert int(each.allocated[each.peak]) == max(size for _, size in own)
        allocated, reserved = each.window(span)
        assert reserved is not None
        drawn = zip(allocated.low.tolist(), allocated.high.tolist(), allocated.last.tolist(), strict=True)
        got = dict(zip(integers_of(allocated.pixel), drawn, strict=True))
        for pixel in range(span.width):
            begin = span.begin + pixel * span.pixel_ns
            inside = [size for time, size in own if begin <= time < begin + span.pixel_ns]
            assert got.get(pixel) == ((min(inside), max(inside), inside[-1]) if inside else None)
        assert (reserved.high - allocated.high).tolist() == [100.0] * len(allocated.pixel)
        before = [size for time, size in own if time <= span.begin]
        assert each.at(span.begin) == ((before[-1], before[-1] + 100) if before else (0, 0))


@given(memory_blocks(), st.integers(-8, 34), st.integers(0, 20))
def test_allocated_in_a_range(blocks: MemoryBlocks, begin: int, length: int) -> None:
    got = allocated_rows(blocks, begin, begin + length).tolist()
    assert got == [row for row, time in enumerate(blocks.allocated_at.tolist()) if begin <= time < begin + length]


def test_lines_are_those_of_the_training() -> None:
    library = "/usr/lib/python3.12/site-packages/torch/nn/modules/linear.py(134): forward"
    assert own_line(f"{library};model.py(3): forward;train.py(9): step") == "model.py(3): forward"
    assert (
        own_line(f"<built-in method conv2d>;nn.Module: Conv2d_0;{library};model.py(3): forward")
        == "model.py(3): forward"
    )
    assert own_line(library) == library
    assert own_line("") == ""


def test_groups_have_names() -> None:
    blocks = MemoryBlocks(
        device=TextColumn.constant("CPU", 1), size=np.array([4]), allocated_at=np.array([0]), freed_at=np.array([9]),
        operator=TextColumn.of([""]), stack=TextColumn.of(["a.py(1): f"]),
    )  # fmt: skip
    with pytest.raises(ValueError, match="want one of category"):
        group_texts(blocks, "color")


def test_leaks_without_steps_are_found_by_periods() -> None:
    """One line keeps 1 MiB every 10 ns; another one frees, one allocates only at the begin."""
    count = 80
    names = ["keep.py(1): f", "free.py(1): f"] * (count // 2)
    born = np.arange(count) * 5
    freed = np.where(np.arange(count) % 2 == 0, UNKNOWN_TIME, born + 20)
    blocks = MemoryBlocks(
        device=TextColumn.constant("GPU 0", count + 1), size=np.full(count + 1, 1 << 20),
        allocated_at=np.append(0, born), freed_at=np.append(UNKNOWN_TIME, freed),
        stack=TextColumn.of(["setup.py(1): f", *names]),
    )  # fmt: skip
    found = leak_hints(blocks)
    assert found.by_period
    (hint,) = found.hints
    assert (hint.stack, hint.steps, hint.bytes_per_step) == ("keep.py(1): f", (1, 2, 3, 4, 5, 6), 5 << 20)
    assert not leak_hints(blocks.select(np.arange(0))).hints
