# SPDX-License-Identifier: Apache-2.0
"""``sys.mem_reuse`` of the configuration file and the allocator of CUDA."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import pytest
import torch

from mindscope.torch import set_context
from mindscope.torch.core.memory_reuse import VARIABLE

pytestmark = pytest.mark.framework


def configure(directory: Path, is_reused: bool) -> None:
    file = directory / "mindspore_config.json"
    file.write_text(json.dumps({"sys": {"mem_reuse": is_reused}}), "utf-8")
    set_context(env_config_path=file)


@pytest.mark.skipif(torch.cuda.is_initialized(), reason="CUDA was used")
def test_configuration_decides_about_caching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(VARIABLE, "0")
    configure(tmp_path, is_reused=True)
    assert os.environ[VARIABLE] == "0"
    configure(tmp_path, is_reused=False)
    assert os.environ[VARIABLE] == "1"
    configure(tmp_path, is_reused=False)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    configure(tmp_path, is_reused=True)
    assert VARIABLE not in os.environ


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_too_late_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    torch.zeros(1, device="cuda")
    configure(tmp_path, is_reused=False)
    assert "CUDA was used before" in caplog.text
