# SPDX-License-Identifier: Apache-2.0
"""Analyses as options of ``mindscope debug RUN``, which are commands now. Delete this module after one release."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import mindscope.debug
from mindscope.cli.debug_failures import printed_lines
from mindscope.cli.debug_report import DebugReport, Pairing, opened_data, pairs_by_hand
from mindscope.cli.logs import printable

OLD = "old-options"
_OF_COMPARE = ("--tensor", "--step", "--pair", "--other-source", "--step-offset")
_ANALYSES = ("--first-bad", "--watch", "--compare", "--ranks", "--printed", "--atol", "--rtol", *_OF_COMPARE)


def is_old(arguments: Sequence[str]) -> bool:
    """Return whether arguments of the overview have an option that only the old form has."""
    return any(argument.split("=", 1)[0] in _ANALYSES for argument in arguments)


def old_options(
    run: Annotated[Path, typer.Argument()],
    source: Annotated[str | None, typer.Option("--source")] = None,
    first_bad: Annotated[bool, typer.Option("--first-bad")] = False,
    watch: Annotated[list[str] | None, typer.Option("--watch")] = None,
    compare: Annotated[Path | None, typer.Option("--compare")] = None,
    other_source: Annotated[str | None, typer.Option("--other-source")] = None,
    ranks: Annotated[bool, typer.Option("--ranks")] = False,
    pairs: Annotated[list[str] | None, typer.Option("--pair")] = None,
    tensor: Annotated[str | None, typer.Option("--tensor")] = None,
    step: Annotated[int | None, typer.Option("--step")] = None,
    atol: Annotated[float, typer.Option("--atol", min=0)] = 1e-8,
    rtol: Annotated[float, typer.Option("--rtol", min=0)] = 1e-5,
    step_offset: Annotated[int | None, typer.Option("--step-offset")] = None,
    workspace: Annotated[Path | None, typer.Option("--workspace")] = None,
    printed: Annotated[bool, typer.Option("--printed")] = False,
    top: Annotated[int, typer.Option("--top", min=1, max=100_000)] = 100,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Print the analyses that old options name, in one report."""
    for name, value in zip(_OF_COMPARE, (tensor, step, pairs, other_source, step_offset), strict=True):
        if compare is None and value is not None:
            raise typer.BadParameter(f"{name} needs --compare OTHER")
    if tensor is None and step is not None:
        raise typer.BadParameter("--step needs --tensor NAME")
    forms = _new_forms(run, first_bad, watch, ranks, compare, tensor, printed)
    if not forms:
        raise typer.BadParameter("--atol and --rtol need --compare OTHER --tensor NAME")
    typer.echo(f"mindscope: old options, which the next release removes; use {' and '.join(forms)}", err=True)
    if printed:
        for line in printed_lines(run, top):
            typer.echo("\n".join(map(printable, line.split("\n"))))
        return
    report = DebugReport(opened_data(run, source, workspace), as_json, top)
    if first_bad:
        report.add_first_bad()
    if watch:
        report.add_hits(watch)
    if ranks:
        report.add_rank_difference()
    if compare is not None:
        pairing = Pairing(pairs_by_hand(pairs), step_offset, workspace)
        other = opened_data(compare, other_source, workspace)
        if tensor is None:
            report.add_divergence(other, pairing)
        else:
            report.add_tensor(other, tensor, step, mindscope.debug.Tolerance(atol, rtol), pairing)
    report.finish()


def _new_forms(
    run: Path,
    first_bad: bool,
    watch: list[str] | None,
    ranks: bool,
    compare: Path | None,
    tensor: str | None,
    printed: bool,
) -> list[str]:
    """Return the commands that do the same; options such as --json keep their names."""
    commands = [
        ["print"] if printed else [],
        ["first-bad"] if first_bad else [],
        ["watch", *watch] if watch else [],
        ["ranks"] if ranks else [],
        [] if compare is None else ["compare", str(compare)] if tensor is None else ["tensor", str(compare), tensor],
    ]
    return [
        f"`{shlex.join(['mindscope', 'debug', name, str(run), *arguments])}`"
        for name, *arguments in filter(None, commands)
    ]
