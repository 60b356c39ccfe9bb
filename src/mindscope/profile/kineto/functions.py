# SPDX-License-Identifier: Apache-2.0
"""Python functions of the user, from the frames of a trace of PyTorch."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.tables.functions import DATA, FRAMEWORK, LOGGING, PROFILER, Functions
from mindscope.profile.texts import Missing
from mindscope.profile.trace.own_code import is_comprehension, is_library, without_line
from mindscope.table.columns import TextColumn, integers_of
from mindscope.table.grouping import groups_of, sums_of

_PURPOSES = (
    (re.compile(r"(^|/)torch/utils/data/"), DATA),
    (re.compile(r"(^|/)(torch/(autograd/)?profiler|mindscope/torch/(profiler|integrations))"), PROFILER),
    (re.compile(r"(^|/)(torch/utils/tensorboard|tensorboardX?|mindscope|wandb|aim|mlflow|swanlab)/"), LOGGING),
    (re.compile(r"(^|/)(torch|torch_npu|lightning\w*|pytorch_lightning|transformers|accelerate)/"), FRAMEWORK),
)


class _Frame(NamedTuple):
    """What the frames up to a path mean."""

    name: int
    """Path of the function of the user; -1 for none."""
    purpose: str
    callee: str


_NO_FRAME = _Frame(-1, "", "")


def functions_of(analysis: KinetoAnalysis) -> Functions | Missing:
    """Return the functions of the user; missing without stacks or steps."""
    frames, times = analysis.frames, analysis.calls.frame_times
    if not len(frames) or times is None:
        return analysis.missing("functions" if len(analysis.marked_steps) else "steps")
    texts = analysis.frame_names.values
    found: list[_Frame] = []
    for path, (parent, name) in enumerate(zip(integers_of(frames.parent), integers_of(frames.name), strict=True)):
        found.append(_frame(path, texts[name], found[parent] if parent >= 0 else _NO_FRAME))
    used = np.flatnonzero(times.own)
    chosen = [found[path] for path in integers_of(used)]
    texts_without_lines, raw = ["", *texts], ["", *texts]
    for path in integers_of(np.flatnonzero(times.began_before)):
        texts_without_lines[int(frames.name[path]) + 1] = without_line(raw[int(frames.name[path]) + 1])
    codes = np.array([int(frames.name[each.name]) + 1 if each.name >= 0 else 0 for each in chosen], np.uint32)
    purpose, callee = TextColumn.of(each.purpose for each in chosen), TextColumn.of(each.callee for each in chosen)
    group, first = groups_of([codes, purpose.codes, callee.codes], len(chosen))
    table = Functions(
        name=TextColumn(codes[first], texts_without_lines),
        frame=TextColumn(codes[first], raw),
        purpose=purpose.select(first),
        callee=callee.select(first),
        host_self=sums_of(group, times.own[used], len(first)),
    )
    return table.select(np.argsort(-table.host_self, kind="stable"))


def _frame(path: int, text: str, above: _Frame) -> _Frame:
    """Return what a frame means within those above it."""
    is_lasting = above.purpose in (DATA, LOGGING, PROFILER)
    if not is_library(text) and not is_comprehension(text):
        return _Frame(path, above.purpose if is_lasting else "", "")
    if ".py(" not in text or is_comprehension(text):  # a function in C, a module, or a part of the function above
        return above
    purpose = above.purpose
    if not is_lasting:
        purpose = next((each for pattern, each in _PURPOSES if pattern.search(text)), purpose)
    return _Frame(above.name, purpose, above.callee or text)
