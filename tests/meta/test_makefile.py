# SPDX-License-Identifier: Apache-2.0
"""Parts of the tests by name, and the list of the slowest."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.slow_tests import slow_tests
from tests.slowest import SETUP, Seconds, chosen_as_slow, read

ROOT = Path(__file__).parents[2]


def test_the_parts_of_the_tests_are_all_of_them() -> None:
    """Each test is in exactly one of the parts that the Makefile selects by marks."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    parts = re.findall(r'^\t\$\(PYTEST\).* -m "([^"]+)"$', makefile, re.MULTILINE)
    quick = [part for part in parts if "slow" in part]
    kinds = [part for part in parts if "slow" not in part]
    assert (len(quick), len(kinds)) == (2, 3)
    for framework, browser, slow in itertools.product((False, True), repeat=3):
        marks = {"framework": framework, "browser": browser, "slow": slow}
        assert sum(eval(part, marks) for part in quick) == 1, marks
        assert sum(eval(part, marks) for part in kinds) == 1, marks


def test_the_slow_tests_exist() -> None:
    for name in slow_tests():
        file, *functions = name.split("::")
        text = (ROOT / file).read_text("utf-8")
        for function in functions:
            assert re.search(rf"\b(?:def|class) {function}\b", text), f"{name} is gone: remove it from slow_tests.txt"


def test_the_slowest_tests_are_listed(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_one(): ...\ndef test_two(): ...\n")
    report = tmp_path / "runs" / "python.xml"
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir", tmp_path, "--junit-xml", report, tmp_path]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    report.with_name("older.xml").write_text(
        '<testsuite><testcase classname="test_it" name="test_one" time="7" /></testsuite>'
    )
    os.utime(report.with_name("older.xml"), (0, 0))
    report.with_name("ui.xml").write_text(
        '<testsuite><testcase classname="a.test.ts" name="three" time="5.25" /></testsuite>'
    )
    shown = subprocess.run(
        [sys.executable, ROOT / "tests" / "slowest.py", report.parent], capture_output=True, text=True, check=True
    ).stdout
    files, tests = shown.split("the slowest tests")
    assert "3 tests" in files
    assert files.splitlines()[1].split() == ["5.2", "s", "a.test.ts"]
    assert tests.splitlines()[1].split() == ["5.2", "s", "a.test.ts", "three"]
    assert "7.0" not in shown


def test_the_slowest_tests_are_left_out_until_the_rest_is_quick() -> None:
    here, other = "tests.meta.test_makefile", "tests.meta.test_words"
    times = {(here, "a[1]"): 3.0, (here, "a[2]"): 2.0, (here, "b"): 4.0, (here, "c"): 0.5, (other, "d"): 9.0}
    seconds = {name: Seconds(time) for name, time in times.items()}
    ui = {("src/a.test.ts", "e"): Seconds(50.0)}
    assert chosen_as_slow(seconds | ui, 18.5) == []
    assert chosen_as_slow(seconds | ui, 18.0) == ["tests/meta/test_makefile.py::a"]
    assert chosen_as_slow(seconds, 0.0) == ["tests/meta/test_makefile.py::a", "tests/meta/test_makefile.py::b"]


def test_a_file_whose_fixture_or_fastest_test_is_slow_is_left_out_whole() -> None:
    here, other = "tests.meta.test_makefile", "tests.meta.test_words"
    trains = {(here, "a[1]"): Seconds(90.0, 89.0), (here, "b"): Seconds(0.1), (other, "d"): Seconds(9.0, 9.0)}
    assert chosen_as_slow(trains, 100.0) == ["tests/meta/test_makefile.py"]
    assert chosen_as_slow({(here, "a"): Seconds(30.0), (other, "d"): Seconds(9.0)}, 100.0) == [
        "tests/meta/test_makefile.py"
    ]


def test_reports_have_the_seconds_of_fixtures(tmp_path: Path) -> None:
    report = tmp_path / "runs" / "python.xml"
    test = "tests/test_lru.py"
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junit-xml", report, test],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    assert SETUP in report.read_text("utf-8")
    assert all(seconds.setup <= seconds.total + 0.01 for seconds in read(report.parent).values())
