# SPDX-License-Identifier: Apache-2.0
"""What the start of a viewer says of its workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope.server.process.workspace import workspace_warning
from mindscope.settings import Settings


@pytest.mark.parametrize(
    ("kind", "is_named"),
    [("nfs4", True), ("lustre", True), ("cifs", True), ("fuse.gcsfuse", True), ("ext4", False), ("overlay", False)],
)
def test_a_workspace_on_a_network_file_system_is_named(tmp_path: Path, kind: str, is_named: bool) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\nserver:/home {tmp_path} {kind} rw 0 0\n")
    warning = workspace_warning(Settings(workspace=tmp_path / "workspace"), mounts)
    assert (warning is not None) == is_named
    if warning is not None:
        assert f"is on a network file system ({kind})" in warning
        assert "--workspace" in warning
