# SPDX-License-Identifier: Apache-2.0
"""Prints the findings of ``mindscope debug``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import typer

from mindscope import debug, reading
from mindscope.cli.debug_failures import failure_lines, failures_json
from mindscope.cli.debug_tensor import tensor_lines
from mindscope.cli.logs import printable
from mindscope.cli.printed_table import printed_table
from mindscope.cli.usage import usage
from mindscope.cli.watch import FIRED

if TYPE_CHECKING:
    from rich.console import Console

    from mindscope.debug.compare import Divergence, Tolerance
    from mindscope.debug.first_bad import FirstBad
    from mindscope.debug.watchpoints import Evaluation
    from mindscope.reading.failures import RunFailures
    from mindscope.reading.run_debug import RunDebug

RECOMMENDED = "recommended"
_WIDTH_OF_A_FILE = 200
_MOST_OPERATORS = 20


class Pairing(NamedTuple):
    """The operators and steps of two trainings that are compared, as in ``RunDebug.compare``."""

    by_hand: dict[str, str]
    step_offset: int | None
    workspace: Path | None


def opened_data(path: Path, source: str | None, workspace: Path | None) -> RunDebug:
    """Return the debugging data of a run or a dump. Raises DebugDataError, FormatError, OSError."""
    opened = reading.open_debug(path, workspace)
    return opened if source is None else opened.of(source)


def pairs_by_hand(pairs: list[str] | None) -> dict[str, str]:
    """Read pairs from texts LEFT=RIGHT. Raises typer.BadParameter."""
    by_hand: dict[str, str] = {}
    for pair in pairs or []:
        left, separator, right = pair.partition("=")
        if not separator or not left or not right:
            raise typer.BadParameter(f"{pair!r} is no LEFT=RIGHT, such as fc1/Linear=head/Dense")
        by_hand[left] = right
    return by_hand


class DebugReport:
    """The findings, as JSON, or as lines and tables."""

    def __init__(self, opened: RunDebug | None, as_json: bool, top: int = 100) -> None:
        """``opened`` is None if only failures are added."""
        self._found, self._as_json, self._top = opened, as_json, top
        self._read = [] if opened is None else [opened]
        self._json: dict[str, Any] = {}
        self._shown: list[Any] = []  # lines, and tables of rich
        self.has_found = False
        """Whether there is a failure, a bad number, a hit or a difference."""
        self.has_failed = False
        """Whether two trainings can't be compared."""

    @property
    def _opened(self) -> RunDebug:
        assert self._found is not None, "only failures are reported of a run without statistics"
        return self._found

    def add_failures(self, found: RunFailures) -> None:
        self.has_found = True
        self._json["failures"] = failures_json(found)
        self._shown += failure_lines(found, self._top)

    def add_first_bad(self) -> None:
        found = self._opened.first_bad()
        self.has_found |= found is not None
        self._json["first_bad"] = None if found is None else found.to_json()
        lines = ["No NaN and no infinity damages the training."] if found is None else list(_first_bad_lines(found))
        self._shown += [*([""] if self._shown else []), *lines, *self._unfinished_lines()]

    def _unfinished_lines(self) -> Iterator[str]:
        unfinished_step = debug.unfinished_step(self._opened.source)
        self._json["unfinished"] = None if unfinished_step is None else asdict(unfinished_step)
        if unfinished_step is not None:
            where = f"step {unfinished_step.step}" + (
                f" of rank {unfinished_step.rank}" if unfinished_step.rank else ""
            )
            yield f"The training ended within {where}, after {unfinished_step.operator}."

    def add_hits(self, texts: list[str]) -> None:
        with usage():
            watchpoints = [debug.parse_watchpoint(text) for text in texts if text != RECOMMENDED]
        if RECOMMENDED in texts:
            watchpoints += debug.recommended_watchpoints()
        found = debug.evaluate_watchpoints(self._opened.source, watchpoints, most_hits=self._top)
        self.has_found |= found.count > 0
        self._json["watch"] = _hits_json(found)
        self._shown += [*([""] if self._shown else []), *_hit_lines(found)]

    def add_rank_difference(self) -> None:
        found = self._opened.compare_ranks()
        self.has_found |= found is not None and found.are_replicas
        self._json["ranks"] = None if found is None else found.to_json()
        count = len(self._opened.source.ranks)
        none = f"The parameters of {count} ranks are equal." if count > 1 else "Only one rank was recorded."
        self._shown += [*([""] if self._shown else []), *(found.sentences() if found is not None else [none])]

    def add_divergence(self, other: RunDebug, pairing: Pairing) -> None:
        found = self._opened.compare(other, **pairing._asdict())
        self._read.append(other)
        self.has_failed |= not found.is_comparable
        self.has_found |= found.first is not None
        self._json["compare"] = found.to_json()
        self._shown += [*([""] if self._shown else []), *_divergence_lines(found)]

    def add_tensor(self, other: RunDebug, name: str, step: int | None, tolerance: Tolerance, pairing: Pairing) -> None:
        self._read.append(other)
        tensor_differences = self._opened.tensor_differences(
            other, name, step, tolerance=tolerance, **pairing._asdict()
        )
        self.has_found |= tensor_differences.differs
        self._json["tensor"] = tensor_differences.to_json()
        self._shown += [*([""] if self._shown else []), *tensor_lines(tensor_differences)]

    def finish(self) -> NoReturn:
        """Print all that was added and what could not be read for it, and end with the exit code of it."""
        self._add_problems()
        self._print()
        raise typer.Exit(1 if self.has_failed else FIRED if self.has_found else 0)

    def _add_problems(self) -> None:
        problems = list(dict.fromkeys(str(problem) for each in self._read for problem in each.problems))
        self._json["problems"] = problems
        if problems:
            self._shown += ["", "Problems of the recorded data:", *(f"  {each}" for each in problems[: self._top])]
        if len(problems) > self._top:
            self._shown.append(f"  {len(problems) - self._top:,} more")

    def _print(self) -> None:
        from rich.console import Console

        if self._as_json:
            typer.echo(json.dumps(self._json, indent=1, ensure_ascii=False))
            return
        console = Console(width=None if sys.stdout.isatty() else _WIDTH_OF_A_FILE, markup=False, highlight=False)
        for each in self._shown:
            _print_one(console, each)


def _first_bad_lines(found: FirstBad) -> Iterator[str]:
    yield from found.sentences()
    if len(found.chain) > 1:
        yield "From there: " + " -> ".join(found.chain[:_MOST_OPERATORS])
    yield from (f"Rank {rank}: {operator}" for rank, operator in found.other_ranks.items())


def _print_one(console: Console, part: Any) -> None:
    if isinstance(part, str):
        console.print(printable(part), soft_wrap=True)
    else:
        console.print(part)


def _hits_json(found: Evaluation) -> dict[str, Any]:
    return {
        "watchpoints": [watchpoint.text for watchpoint in found.watchpoints],
        "count": found.count,
        "consequences": sum(found.consequences.values()),
        "hits": found.to_table().json_rows(),
        "unevaluated": [
            {
                "watchpoint": found.watchpoints[each.watchpoint].text,
                "parameter": each.parameter,
                "problems": _problems(each.problem),
                "missing": list(each.missing),
                "count": each.count,
                "first_step": each.first_step,
            }
            for each in found.unevaluated
        ],
        "unmatched": [found.watchpoints[each].text for each in found.unmatched],
    }


def _problems(problem: Any) -> list[str]:
    return [str(each.name).lower() for each in debug.Problem if each in problem]


def _hit_lines(found: Evaluation) -> Iterator[Any]:
    hits = "1 hit" if found.count == 1 else f"{found.count:,} hits"
    yield f"{hits} of {len(found.watchpoints)} watchpoints in {found.steps:,} steps"
    if found.hits:
        yield printed_table(
            ("step", "since", "rank", "operator", "tensor", "condition", "limit", "actual"),
            [
                (
                    *(str(row[name]) for name in ("step", "since", "rank")), row["operator"],
                    f"{row['role']} {row['slot']}",
                    row["condition"], _limit(row), f"{row['actual']:.6g}",
                )
                for row in found.rows()
            ],
        )  # fmt: skip
    if found.count > len(found.hits):
        yield f"{found.count - len(found.hits):,} more"
    if following := sum(found.consequences.values()):
        yield f"{following:,} further {'hit follows' if following == 1 else 'hits follow'} from the first bad number."
    for each in found.unmatched:
        watchpoint = found.watchpoints[each]
        if watchpoint.patterns:
            yield f"no recorded tensor matches {watchpoint.text}"
    for each in found.unevaluated:
        if each.missing and found.watchpoints[each.watchpoint].recommendation is None:
            text = found.watchpoints[each.watchpoint].text
            yield f"not evaluated: {text}, {each.count:,} tensors; not recorded: {', '.join(each.missing)}"


def _limit(row: dict[str, Any]) -> str:
    return f"{row['parameter']} {row['set_value']:.6g}" if row["parameter"] else ""


def _divergence_lines(found: Divergence) -> Iterator[Any]:
    yield from found.sentences()
    rows = [operator for operator in found.operators if operator.differs or operator.inherited > operator.tolerance]
    if rows:
        yield printed_table(
            ("operator", "in OTHER", "phase", "tensor", "inherited", "error", "added"),
            [
                (row.left, row.right, row.phase, row.tensor, *(f"{value:.3g}" for value in
                                                                   (row.inherited, row.error, row.added)))
                for row in rows[:_MOST_OPERATORS]
            ],
        )  # fmt: skip
    if len(rows) > _MOST_OPERATORS:
        yield f"{len(rows) - _MOST_OPERATORS} more"
