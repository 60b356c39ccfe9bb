# SPDX-License-Identifier: Apache-2.0
"""``mindscope debug``: a command for each analysis, and an overview of all."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
import typer.core

import mindscope.debug
from mindscope.cli.command_help import help_of
from mindscope.cli.debug_failures import failures_of, printed_lines
from mindscope.cli.debug_old_options import OLD, is_old, old_options
from mindscope.cli.debug_report import RECOMMENDED, DebugReport, Pairing, opened_data, pairs_by_hand
from mindscope.cli.logs import printable
from mindscope.errors import DebugDataError

OVERVIEW = "overview"

Run = Annotated[
    Path,
    typer.Argument(metavar="RUN", help="A run, a directory with a run for each rank, or a dump of another tool."),
]
Other = Annotated[Path, typer.Argument(metavar="OTHER", help="The training to compare with, as RUN.")]
Source = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="NAME",
        help="Of several debugging data of RUN: the path of a dump from it, or . for what a Debugger recorded.",
    ),
]
OtherSource = Annotated[str | None, typer.Option("--other-source", metavar="NAME", help="As --source, of OTHER.")]
Pairs = Annotated[
    list[str] | None,
    typer.Option("--pair", metavar="LEFT=RIGHT", help="Operators of RUN and OTHER that match. Repeatable."),
]
StepOffset = Annotated[
    int | None,
    typer.Option(
        "--step-offset",
        metavar="N",
        help="Compare step S of RUN with step S + N of OTHER. By default, the tensors of the first steps say it.",
    ),
]
Workspace = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        metavar="DIR",
        help="Of a viewer: it keeps statistics of dumps that were read, and operators that were paired on its page.",
    ),
]
Top = Annotated[int, typer.Option("--top", min=1, max=100_000, help="Entries that are listed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class DebugCommands(typer.core.TyperGroup):
    """Takes a first word that is no command for the run of the overview."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Put the name of the command in front if it is left out."""
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = [OLD if is_old(args) else OVERVIEW, *args]
        return super().parse_args(ctx, args)


def debug() -> None:
    """Print where a training went wrong, from recorded statistics of its tensors.

    `mindscope debug RUN` prints the overview. Write a run that has the name of a command as a path, such as ./watch.
    Exit codes are 0 and, if there is a failure, a bad number, a hit or a difference, 3. The exit code is 1 if two
    trainings can't be compared, because too few of their operators match.
    """


def overview(
    run: Run, source: Source = None, workspace: Workspace = None, top: Top = 100, as_json: AsJson = False
) -> None:
    """Print all that went wrong.

    That is: what recorders wrote when the training failed, the first bad number, the hits of the recommended
    watchpoints, and where the ranks of a data-parallel training part.
    """
    failures = failures_of(run) if source is None else None
    try:
        opened = opened_data(run, source, workspace)
    except DebugDataError:
        if not failures:
            raise
        opened = None
    report = DebugReport(opened, as_json, top)
    if failures:
        report.add_failures(failures)
    if opened is not None:
        report.add_first_bad()
        report.add_hits([RECOMMENDED])
        if len(opened.source.ranks) > 1:
            report.add_rank_difference()
    report.finish()


def first_bad(run: Run, source: Source = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Print where the first NaN or infinity that does damage comes from."""
    report = DebugReport(opened_data(run, source, workspace), as_json)
    report.add_first_bad()
    report.finish()


def watch(
    run: Run,
    watchpoints: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WATCHPOINT]...",
            help='Such as "tensor_too_large max_gt=1e4 @ encoder.*". By default the recommended ones.',
        ),
    ] = None,
    source: Source = None,
    workspace: Workspace = None,
    top: Top = 100,
    as_json: AsJson = False,
) -> None:
    """Print the tensors and steps where watchpoints hold."""
    report = DebugReport(opened_data(run, source, workspace), as_json, top)
    report.add_hits(watchpoints or [RECOMMENDED])
    report.finish()


def compare(
    run: Run,
    other: Other,
    source: Source = None,
    other_source: OtherSource = None,
    pairs: Pairs = None,
    step_offset: StepOffset = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Print the first step and operator where two trainings part."""
    pairing = Pairing(pairs_by_hand(pairs), step_offset, workspace)
    report = DebugReport(opened_data(run, source, workspace), as_json)
    report.add_divergence(opened_data(other, other_source, workspace), pairing)
    report.finish()


def ranks(run: Run, source: Source = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Print where the parameters of the ranks of a data-parallel training part."""
    report = DebugReport(opened_data(run, source, workspace), as_json)
    report.add_rank_difference()
    report.finish()


def print_values(run: Run, top: Top = 100) -> None:
    """Print texts and tensors that MindSpore's Print wrote."""
    for line in printed_lines(run, top):
        typer.echo("\n".join(map(printable, line.split("\n"))))


def tensor(
    run: Run,
    other: Other,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="An operator, a module or a parameter, such as fc1.weight.")
    ],
    step: Annotated[
        int | None, typer.Option("--step", help="By default the first that differs, else the last that both have.")
    ] = None,
    atol: Annotated[float, typer.Option("--atol", min=0, help="Absolute tolerance of elements.")] = 1e-8,
    rtol: Annotated[float, typer.Option("--rtol", min=0, help="Tolerance relative to the element of OTHER.")] = 1e-5,
    source: Source = None,
    other_source: OtherSource = None,
    pairs: Pairs = None,
    step_offset: StepOffset = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Print how far the tensors of an operator are from those of another training."""
    pairing = Pairing(pairs_by_hand(pairs), step_offset, workspace)
    report = DebugReport(opened_data(run, source, workspace), as_json)
    report.add_tensor(
        opened_data(other, other_source, workspace), name, step, mindscope.debug.Tolerance(atol, rtol), pairing
    )
    report.finish()


_COMMANDS = {
    OVERVIEW: overview, "first-bad": first_bad, "watch": watch, "compare": compare, "ranks": ranks,
    "print": print_values, "tensor": tensor,
}  # fmt: skip
commands = typer.Typer(cls=DebugCommands, subcommand_metavar="RUN | COMMAND [ARGS]...")
commands.callback(help=help_of(debug))(debug)
for _name, _command in _COMMANDS.items():
    commands.command(_name, help=help_of(_command))(_command)
commands.command(OLD, hidden=True, help=help_of(old_options))(old_options)
