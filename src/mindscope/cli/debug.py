# SPDX-License-Identifier: Apache-2.0
"""``mindscope debug``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mindscope.cli.debug_failures import failures_of, printed_lines
from mindscope.cli.debug_report import RECOMMENDED, DebugReport, Pairing
from mindscope.cli.logs import printable
from mindscope.cli.watch import FIRED
from mindscope.errors import DebugDataError

if TYPE_CHECKING:
    from mindscope.reading.run_debug import RunDebug


def debug(
    run: Annotated[
        Path,
        typer.Argument(metavar="RUN", help="A run, a directory with a run for each rank, or a dump of another tool."),
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="NAME",
            help="Of several debugging data of RUN: the path of a dump from it, or . for what a Debugger recorded.",
        ),
    ] = None,
    first_bad: Annotated[
        bool, typer.Option("--first-bad", help="Print where the first NaN or infinity that does damage comes from.")
    ] = False,
    watch: Annotated[
        list[str] | None,
        typer.Option(
            "--watch",
            metavar="WATCHPOINT",
            help='Print the hits of a watchpoint, such as "tensor_too_large max_gt=1e4 @ encoder.*", or of the '
            "recommended ones. Repeatable.",
        ),
    ] = None,
    compare: Annotated[
        Path | None, typer.Option("--compare", metavar="OTHER", help="Print where RUN and this training part.")
    ] = None,
    other_source: Annotated[
        str | None, typer.Option("--other-source", metavar="NAME", help="As --source, of OTHER.")
    ] = None,
    ranks: Annotated[
        bool, typer.Option("--ranks", help="Print where the parameters of the ranks of a data-parallel training part.")
    ] = False,
    pairs: Annotated[
        list[str] | None,
        typer.Option("--pair", metavar="LEFT=RIGHT", help="Operators of RUN and OTHER that match. Repeatable."),
    ] = None,
    tensor: Annotated[
        str | None,
        typer.Option(
            "--tensor",
            metavar="NAME",
            help="With --compare: print how far the tensors of an operator, a module or a parameter such as fc1.weight "
            "are from those of OTHER.",
        ),
    ] = None,
    step: Annotated[
        int | None,
        typer.Option("--step", help="Of --tensor; by default the first that differs, else the last that both have."),
    ] = None,
    atol: Annotated[float, typer.Option("--atol", min=0, help="Absolute tolerance of elements, for --tensor.")] = 1e-8,
    rtol: Annotated[
        float, typer.Option("--rtol", min=0, help="Tolerance relative to the element of OTHER, for --tensor.")
    ] = 1e-5,
    step_offset: Annotated[
        int | None,
        typer.Option(
            "--step-offset",
            metavar="N",
            help="Compare step S of RUN with step S + N of OTHER. By default, the tensors of the first steps say it.",
        ),
    ] = None,
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace",
            metavar="DIR",
            help="Of a viewer, with the operators that were paired on its page and the statistics of dumps that were "
            "read.",
        ),
    ] = None,
    printed: Annotated[
        bool, typer.Option("--printed", help="Print texts and tensors that MindSpore's Print wrote, and no analysis.")
    ] = False,
    top: Annotated[int, typer.Option("--top", min=1, max=100_000, help="Hits that are listed.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print where a training went wrong, from recorded statistics of its tensors.

    Without options: what recorders wrote when it failed, the first bad number, the hits of the recommended watchpoints,
    and where the ranks of a data-parallel training part. Exit codes are 0 and, if there is a failure, a bad number, a
    hit or a difference, 3. The exit code is 1 if two trainings can't be compared, because too few of their operators
    match.
    """
    from mindscope.debug.compare import Tolerance

    of_compare: dict[str, object] = {"--tensor": tensor, "--step": step, "--pair": pairs}
    of_compare |= {"--other-source": other_source, "--step-offset": step_offset}
    for name, value in of_compare.items():
        if compare is None and value is not None:
            raise typer.BadParameter(f"{name} needs --compare OTHER")
    if tensor is None and step is not None:
        raise typer.BadParameter("--step needs --tensor NAME")
    if printed:
        for line in printed_lines(run, top):
            typer.echo("\n".join(map(printable, line.split("\n"))))
        return
    has_no_choice = not first_bad and watch is None and compare is None and not ranks
    failures = failures_of(run) if has_no_choice and source is None else None
    try:
        opened = _opened(run, source, workspace)
    except DebugDataError:
        if not failures:
            raise
        opened = None
    report = DebugReport(opened, as_json, top)
    if failures:
        report.add_failures(failures)
    if has_no_choice and opened is not None:
        first_bad, watch, ranks = True, [RECOMMENDED], len(opened.source.ranks) > 1
    if first_bad:
        report.add_first_bad()
    if watch:
        report.add_hits(watch)
    if ranks:
        report.add_rank_difference()
    if compare is not None:
        pairing = Pairing(_by_hand(pairs or []), step_offset, workspace)
        other = _opened(compare, other_source, workspace)
        if tensor is None:
            report.add_divergence(other, pairing)
        else:
            report.add_tensor(other, tensor, step, Tolerance(atol, rtol), pairing)
    report.print()
    raise typer.Exit(1 if report.has_failed else FIRED if report.has_found else 0)


def _opened(path: Path, source: str | None, workspace: Path | None) -> RunDebug:
    from mindscope.reading.run_debug import open_debug

    opened = open_debug(path, workspace)
    return opened if source is None else opened.of(source)


def _by_hand(pairs: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        left, separator, right = pair.partition("=")
        if not separator or not left or not right:
            raise typer.BadParameter(f"{pair!r} is no LEFT=RIGHT, such as fc1/Linear=head/Dense")
        found[left] = right
    return found
