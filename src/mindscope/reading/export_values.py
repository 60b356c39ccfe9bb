# SPDX-License-Identifier: Apache-2.0
"""Exports each value of a tag as one or several files, using the descriptor of its kind."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from mindscope.formats.kinds import KINDS, NamedBytes
from mindscope.reading.export_output import Output
from mindscope.reading.values import Values


def write_values(values: Values[Any], directory: PurePath, output: Output) -> None:
    """Write each value as ``STEP.suffix``, or ``STEP_1.suffix``, ``STEP_2.suffix`` if a step has several files.

    A repeated step, such as of overwritten values, gets ``STEP~2``. The kind of the values must have ``to_files``.
    """
    to_files = KINDS[values.kind].to_files
    assert to_files
    seen: dict[int, int] = {}
    for sample in values:
        seen[sample.step] = seen.get(sample.step, 0) + 1
        again = f"~{seen[sample.step]}" if seen[sample.step] > 1 else ""
        files: list[NamedBytes] = []
        with output.noting_failures(f"{values.kind} {values.tag!r} at step {sample.step}"):
            files = list(to_files(sample.value))
        for ending, data in files:
            output.write(directory / f"{sample.step}{again}{ending}", data)
