# SPDX-License-Identifier: Apache-2.0
"""What importing brings along: only what is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
WITHOUT_LIGHTNING = """
import sys
sys.modules["lightning"] = sys.modules["pytorch_lightning"] = None
try:
    import mindscope.torch.lightning
except ImportError as error:
    assert "pip install lightning" in str(error)
else:
    raise AssertionError("imported without Lightning")
"""


@pytest.mark.parametrize("program", [PLAIN, WITHOUT_LIGHTNING])
def test_frameworks_come_on_request(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
