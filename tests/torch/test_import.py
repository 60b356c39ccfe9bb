# SPDX-License-Identifier: Apache-2.0
"""What importing brings along: only what is asked for."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import mindscope
import mindscope.torch

pytestmark = pytest.mark.framework

PLAIN = """
import sys
import mindscope.torch
assert "torch" not in sys.modules
for name in mindscope.torch.__all__:
    getattr(mindscope.torch, name)
foreign = {"lightning", "pytorch_lightning", "transformers", "torchmetrics", "scipy", "mindspore"} & set(sys.modules)
assert not foreign, foreign
"""
WITHOUT_SAFETENSORS = """
import sys, tempfile
import importlib.machinery
finder = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = lambda name, *rest: None if name == "safetensors" else finder(name, *rest)
import mindscope.torch
mindscope.torch.SummaryCollector(tempfile.mkdtemp())
try:
    options = {"collect_landscape": {"intervals": [[1, 2, 3]]}}
    mindscope.torch.SummaryCollector(tempfile.mkdtemp(), collect_specified_data=options)
except ImportError as error:
    assert "pip install safetensors" in str(error)
else:
    raise AssertionError("collects landscapes without safetensors")
"""
WITHOUT_LIGHTNING = """
import sys
sys.modules["lightning"] = sys.modules["pytorch_lightning"] = None
try:
    import mindscope.torch.integrations.lightning
except ImportError as error:
    assert "pip install lightning" in str(error)
else:
    raise AssertionError("imported without Lightning")
"""


def test_names_for_type_checkers_are_the_names_that_are_loaded() -> None:
    tree = ast.parse(Path(mindscope.torch.__file__).read_text())
    typed = {
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("mindscope.torch.")
        for alias in node.names
    }
    loaded = {
        (f"mindscope.torch.{module}", name)
        for module, names in mindscope.torch._MODULES.items()
        for name in names.split()
    }
    assert typed == loaded


@pytest.mark.parametrize("program", [PLAIN, WITHOUT_SAFETENSORS, WITHOUT_LIGHTNING])
def test_frameworks_come_on_request(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
