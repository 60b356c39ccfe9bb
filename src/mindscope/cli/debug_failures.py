# SPDX-License-Identifier: Apache-2.0
"""Prints what recorders wrote of a failed training, and values that it printed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from mindscope import debug, reading

if TYPE_CHECKING:
    from pathlib import Path

    from mindscope.debug.formats.running_data_directory import RunningData
    from mindscope.reading.failures import RunFailures

_MOST_LINES = 10


def failures_of(run: Path) -> RunFailures:
    """Read the failures of the run in a directory; none of a file."""
    return reading.read_failures(reading.find_failures(run) if run.is_dir() else reading.FailurePaths())


def failures_json(found: RunFailures) -> dict[str, Any]:
    """Return the failures as JSON values."""
    return {
        "running_data": [
            {"path": str(each.path), "rank": each.rank, "error": each.error, **each.culprit, "state": each.state}
            for each in found.running_data
        ],
        "collectives": {record.rank: record.count for record in found.flight_records},
        "mismatches": [
            {
                "kind": str(mismatch.kind),
                "group": mismatch.group,
                "sequence": mismatch.sequence,
                "values": dict(mismatch.values),
            }
            for mismatch in found.mismatches
        ],
        "problems": found.problems,
    }


def failure_lines(found: RunFailures, most: int) -> Iterator[str]:
    """Describe the failures for a terminal: at most ``most`` collectives."""
    for each in found.running_data:
        yield from _running_data_lines(each)
    if found.flight_records:
        ranks = ", ".join(str(flight_record.rank) for flight_record in found.flight_records)
        yield f"Flight recorder of ranks {ranks}: {len(found.mismatches)} collectives differ"
    for mismatch in found.mismatches[:most]:
        values = "; ".join(f"rank {rank}: {value or 'none'}" for rank, value in mismatch.values.items())
        yield f"  {mismatch.kind}: group {mismatch.group}, collective {mismatch.sequence}: {values}"
    yield from found.problems


def _running_data_lines(data: RunningData) -> Iterator[str]:
    culprit = data.culprit
    of_rank = "" if data.rank is None else f" of rank {data.rank}"
    yield f"Running data{of_rank}: {data.path}"
    if data.error:
        yield f"  failed with {data.error}"
    where = [f"in {culprit[name]}" if name == "phase" else str(culprit[name])
             for name in ("phase", "module", "type") if culprit.get(name)]  # fmt: skip
    if where:
        yield f"  {', '.join(where)}"
    if isinstance(culprit.get("lines"), list):
        lines = cast("list[Any]", culprit["lines"])
        yield from (f"    {line}" for line in lines[:_MOST_LINES])
    if tensor := culprit.get("first_not_finite"):
        yield f"  first tensor that is not finite: {tensor}"
    yield f"  files: {', '.join(file.name for file in data.files)}"


def printed_lines(run: Path, most: int) -> Iterator[str]:
    """Yield values that the training printed, with their files."""
    for path, value in islice(reading.printed_values(run), most):
        yield f"{path.name}: {debug.printed_text(value)}"
