# SPDX-License-Identifier: Apache-2.0
"""The `mindscope` command: its subcommands, each imported when it runs, and global options."""

from __future__ import annotations

from typing import Annotated

import typer

from mindscope._version import VERSION
from mindscope.cli.lazy_commands import group_of

COMMANDS = {
    "run": "Run a script whose SummaryWriter, wandb, trackio and swanlab calls record here.",
    "sweep": "Run a script many times with hyperparameters that a method of search chooses.",
    "start": "Start the viewer in the background.",
    "stop": "Stop the viewer that listens on a port.",
    "status": "List the running viewers: address, process id, start time and directory.",
    "inspect": "Print what runs contain: files, tags, graphs, lineage, hidden points and damage.",
    "lineage": "Print a table of all runs: parameters, data, metrics, custom fields and facts.",
    "query": "Query runs in SQL: parameters, every point, metrics, alerts, profiles, tensors and logs.",
    "plot": "Draw scalars as a figure for a paper, with the colors of the page and bands over groups of runs.",
    "mcp": "Serve runs to agents such as Claude, Cursor and VS Code, by the Model Context Protocol.",
    "diff": "Compare the parameters, data, metrics, custom fields and facts of two runs, differences first.",
    "graph": "Print the computational graph of a run: its size, operation types and scopes.",
    "landscape": "Compute the loss landscapes of a run from the weights that its collector kept, or of several on "
    "one plane.",
    "profile": "Print where time and memory of a training went, and what to change.",
    "export": "Export scalars as CSV or Parquet, other values as files: PNG images, GIF videos, npy, npz, texts and "
    "audio.",
    "pack": "Pack runs into one file, which opens without unpacking.",
    "import": "Write event files of the runs of Aim, which its own package reads.",
    "repair": "Copy the intact records of damaged event files into new files.",
    "watch": "Print alerts about trainings: NaN, spikes, divergence, plateaus, gradients, dead units, stuck runs.",
    "index": "Decode runs by all cores or a cluster, for viewers that start at once and for readers of Parquet.",
    "cache": "List or delete the caches of logs.",
    "debug": "Print where a training went wrong, from recorded statistics of its tensors.",
}
"""The commands and their summaries, which are the first paragraphs of their docstrings."""

app = typer.Typer(
    cls=group_of("mindscope.cli", COMMANDS),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"mindscope {VERSION}")
        raise typer.Exit


@app.callback()
def mindscope(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Record trainings and view them live in a browser.

    `mindscope start DIR` starts the viewer for all runs below a directory.
    """
