# SPDX-License-Identifier: Apache-2.0
"""How tests are dealt out to processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFTEST = """
from tests.framework_workers import FrameworksApart

def pytest_xdist_make_scheduler(config, log):
    return FrameworksApart(config, log)
"""
TESTS = """
import os, pytest

@pytest.mark.parametrize("name", ["same", {name}])
def test_it(name): pass
"""


# gzip.compress writes the current time into bytes 4 to 8 unless it is given mtime
GZIP_WITH_A_TIME = re.compile(r"\\x1f\\x8b\\x08\\x..(?!\\x00\\x00\\x00\\x00)")


def run(directory: Path, name: str) -> tuple[int, str]:
    (directory / "conftest.py").write_text(CONFTEST)
    (directory / "test_some.py").write_text(TESTS.format(name=name))
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile"]
    command += ["-p", "no:cacheprovider", "-p", "no:schemathesis", "."]  # whose import takes each process a second
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""}
    environment.pop("PYTEST_XDIST_WORKER", None)
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_processes_that_collect_other_tests_fail_the_run(tmp_path: Path) -> None:
    status, output = run(tmp_path, '"fixed"')
    assert (status, "2 passed" in output) == (0, True)
    status, output = run(tmp_path, "os.urandom(4).hex()")
    assert status != 0
    assert "collected tests that another process did not" in output


def test_no_id_of_a_test_holds_the_time(request: pytest.FixtureRequest) -> None:
    """Two processes that collect in two seconds would give such a test two names."""
    assert [item.nodeid for item in request.session.items if GZIP_WITH_A_TIME.search(item.nodeid)] == []
