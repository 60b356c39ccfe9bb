# SPDX-License-Identifier: Apache-2.0
"""Every command and option says what it is for."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

import mindscope
from mindscope.cli import app
from mindscope.cli.app import COMMANDS as SUMMARIES
from mindscope.cli.reference import reference

from .conftest import CommandLine

ROOT = Path(__file__).parents[2]
COMMANDS = {
    "start",
    "stop",
    "status",
    "inspect",
    "lineage",
    "query",
    "mcp",
    "plot",
    "sweep",
    "diff",
    "debug",
    "profile",
    "graph",
    "landscape",
    "export",
    "import",
    "pack",
    "repair",
    "run",
    "watch",
    "index",
    "cache",
}
START_FLAGS = {
    "--config",
    "--workspace",
    "--port",
    "--reload-interval",
    "--summary-base-dir",
    "--cache-size",
    "--index",
    "--reader-memory",
    "--remote-file-size",
    "--host",
    "--allow-frame",
    "--allow-host",
    "--allow-sweeps",
    "--path-prefix",
    "--follow-links",
    "--allow-delete",
    "--alerts",
    "--require-token",
    "--no-token",
    "--token-file",
    "--read-only",
    "--certificate",
    "--key",
    "--trust-proxy",
    "--user-header",
    "--foreground",
}


def test_the_commands_are_these():
    assert set(typer.main.get_group(app).commands) == COMMANDS


def test_the_list_of_commands_has_the_first_paragraphs_of_their_helps():
    commands = typer.main.get_group(app).commands
    assert {name: command.help.split("\n\n")[0] for name, command in commands.items() if command.help} == SUMMARIES


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_and_option_is_documented(command: str):
    group = typer.main.get_group(app).commands[command]
    for documented in (group, *getattr(group, "commands", {}).values()):
        assert documented.help
        assert documented.help[0].isupper()
        for parameter in () if documented.hidden else documented.params:
            assert getattr(parameter, "help", ""), f"{command} {parameter.name}"


def test_the_commands_of_debug_are_these():
    commands = typer.main.get_group(app).commands["debug"].commands  # pyright: ignore[reportAttributeAccessIssue]
    visible = [name for name, command in commands.items() if not command.hidden]
    assert visible == ["overview", "first-bad", "watch", "compare", "ranks", "print", "tensor"]
    printed = CliRunner().invoke(app, ["debug", "--help"], prog_name="mindscope").output
    assert "Usage: mindscope debug [OPTIONS] RUN | COMMAND [ARGS]..." in printed
    assert "old-options" not in printed


def test_start_takes_the_flags_of_its_predecessor_and_ours():
    start = typer.main.get_group(app).commands["start"]
    assert {flag for parameter in start.params for flag in parameter.opts} == START_FLAGS | {"directories"}


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], *([command, "--help"] for command in sorted(COMMANDS))])
def test_help_is_printed(arguments: list[str]):
    printed = CliRunner().invoke(app, arguments, prog_name="mindscope")
    assert printed.exit_code == 0
    assert "Usage: mindscope" in printed.output


def test_lines_of_the_help_break_at_the_width_of_the_terminal(mindscope: CommandLine):
    lines = mindscope("watch", "--help", COLUMNS="80").stdout.splitlines()
    start = next(number for number, line in enumerate(lines) if "The command runs until" in line)
    paragraph = [line.strip() for line in lines[start : lines.index(" " * 80, start)]]
    assert len(paragraph) > 5
    for line, following in itertools.pairwise(paragraph):
        assert len(line) + 1 + len(following.split()[0]) > 78, f"{line!r} ends early"


def test_shells_complete_commands(mindscope: CommandLine):
    completing = {"_MINDSCOPE_COMPLETE": "complete_bash", "COMP_WORDS": "mindscope la", "COMP_CWORD": "1"}
    assert mindscope(**completing).stdout.split() == ["landscape"]


@pytest.mark.parametrize(
    ("words", "want"),
    [
        ("debug fi", ["first-bad"]),
        ("debug o", ["overview"]),
        ("debug runs/fi", []),  # the shell completes files
        ("debug compare --ot", ["--other-source"]),
        ("debug runs/first --to", ["--top"]),
        ("debug runs/first --fi", []),  # an old option
    ],
)
def test_shells_complete_the_commands_of_debug(mindscope: CommandLine, words: str, want: list[str]):
    count = str(len(words.split()))
    completing = {"_MINDSCOPE_COMPLETE": "complete_bash", "COMP_WORDS": f"mindscope {words}", "COMP_CWORD": count}
    assert mindscope(**completing).stdout.split() == want


def test_defaults_are_in_the_help(mindscope: CommandLine):
    printed = mindscope("start", "--help").stdout
    for default in ("~/mindscope", "8080", "127.0.0.1", "current directory"):
        assert default in printed


def test_the_version_is_the_packages():
    printed = CliRunner().invoke(app, ["--version"])
    assert printed.output == f"mindscope {mindscope.__version__}\n"


@pytest.mark.parametrize("arguments", [["nix"], ["start", "--nix"], ["inspect"], ["export", "."]])
def test_wrong_usage_ends_with_2(mindscope: CommandLine, arguments: list[str]):
    assert "Usage: mindscope" in mindscope(*arguments, want=2).stderr


def test_a_bad_setting_is_one_line(mindscope: CommandLine):
    refused = mindscope("start", "--port", "70000", want=2)
    assert refused.stderr == "mindscope: --port is '70000', want a whole number from 1 to 65535\n"
    assert refused.stdout == ""


def test_the_reference_is_up_to_date():
    assert reference() == (ROOT / "docs" / "commands.md").read_text("utf-8"), (
        "write it anew: python -m mindscope.cli.reference > docs/commands.md"
    )
