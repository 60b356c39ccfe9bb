# SPDX-License-Identifier: Apache-2.0
"""Scopes of graphs with modules of profiles, by path and by class."""

from __future__ import annotations

import numpy as np

from mindscope.profile.compare.graph_join import align_scopes
from mindscope.profile.tables.modules import Modules
from mindscope.table.columns import TextColumn


def modules(*paths: str) -> Modules:
    parents = [paths.index(above) if (above := path.rpartition("/")[0]) else -1 for path in paths]
    return Modules(
        path=TextColumn.of(paths),
        name=TextColumn.of(path.rpartition("/")[2] for path in paths),
        parent=np.array(parents, np.int64),
        count=np.ones(len(paths), np.int64),
    )


def joined(scopes: list[str], found: Modules) -> dict[str, str]:
    parents = [-1, *(scopes.index(path.rpartition("/")[0]) for path in scopes[1:])]
    rows = align_scopes([path.rpartition("/")[2] for path in scopes], np.array(parents), found)
    return {path: found.path[row] for path, row in zip(scopes, rows.tolist(), strict=True) if row >= 0}


def test_paths_of_mindspore_are_equal_without_the_subgraph() -> None:
    network = "network-TrainOneStepCell"
    found = modules(network, f"{network}/fc1-Dense")
    scopes = ["", "Default", f"Default/{network}", f"Default/{network}/fc1-Dense", f"Default/{network}/loss-Loss"]
    assert joined(scopes, found) == {
        f"Default/{network}": network,
        f"Default/{network}/fc1-Dense": f"{network}/fc1-Dense",
    }


def test_classes_of_torch_are_aligned_in_their_order() -> None:
    found = modules("Loss_0", "Net_0", "Net_0/Conv2d_0", "Net_0/Linear_0", "Net_0/Linear_1")
    scopes = ["", "Net", "Net/Conv2d[stem]", "Net/Dropout[drop]", "Net/Linear[a]", "Net/Linear[b]"]
    assert joined(scopes, found) == {
        "Net": "Net_0",
        "Net/Conv2d[stem]": "Net_0/Conv2d_0",
        "Net/Linear[a]": "Net_0/Linear_0",
        "Net/Linear[b]": "Net_0/Linear_1",
    }


def test_nothing_in_common_is_no_join() -> None:
    assert joined(["", "Default", "Default/a-Dense"], modules("Net_0", "Net_0/Conv2d_0")) == {}
    assert joined([""], modules()) == {}
