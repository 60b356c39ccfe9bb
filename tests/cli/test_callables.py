# SPDX-License-Identifier: Apache-2.0
"""Functions of a user's program that an option names."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from mindscope.cli.callables import CallableError, call, find_callable

PROGRAM = """
class Maker:
    @staticmethod
    def make():
        return 7

def fail():
    raise ValueError("mine")

size = 3
"""


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package in the current directory, which is not on the path."""
    package = tmp_path / "users_program"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "parts.py").write_text(PROGRAM)
    (package / "broken.py").write_text("import surely_not_installed\n")
    (package / "wrong.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in [each for each in sys.modules if each.startswith("users_program")]:
        del sys.modules[name]


def test_a_function_is_found_in_the_current_directory() -> None:
    make = find_callable("--model", "users_program.parts:Maker.make")
    assert call("--model", "users_program.parts:Maker.make", make) == 7


@pytest.mark.parametrize("name", ["parts", "parts:", ":make", "a b:make", "parts.py:make", "parts:make()"])
def test_another_form_is_wrong_usage(name: str) -> None:
    with pytest.raises(typer.BadParameter, match=re.escape("is not pkg.module:function")):
        find_callable("--model", name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("users_program.part:make", "no module 'users_program.part' in "),
        ("nowhere.parts:make", "no module 'nowhere' in "),
        ("users_program.parts:make", "users_program.parts has no 'make'; it has Maker, fail"),
        ("users_program.parts:Maker.build", "has no 'Maker.build'; it has make"),
        ("users_program.parts:size", "it is int, want a function"),
        ("users_program.broken:make", "raised ModuleNotFoundError: No module named 'surely_not_installed' ("),
        ("users_program.wrong:make", "raised ZeroDivisionError: division by zero ("),
    ],
)
def test_what_is_wrong_is_said(name: str, text: str) -> None:
    with pytest.raises(CallableError, match=re.escape(text)) as caught:
        find_callable("--data", name)
    assert str(caught.value).startswith(f"--data {name}: ")


def test_errors_of_the_function_have_file_and_line() -> None:
    fail = find_callable("--model", "users_program.parts:fail")
    with pytest.raises(CallableError, match=r"^--model m:f raised ValueError: mine \(.*parts\.py, line 8\)$"):
        call("--model", "m:f", fail)
