# SPDX-License-Identifier: Apache-2.0
"""Parts of the tests by name, and the list of the slowest."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_parts_of_the_tests_are_all_of_them() -> None:
    """Each test is in exactly one of the parts that the Makefile selects by marks."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    parts = re.findall(r'^\t\$\(PYTEST\).* -m "([^"]+)"$', makefile, re.MULTILINE)
    assert len(parts) == 3
    for framework, browser in itertools.product((False, True), repeat=2):
        marks = {"framework": framework, "browser": browser}
        assert sum(eval(part, marks) for part in parts) == 1, marks


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
