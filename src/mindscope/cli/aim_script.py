# SPDX-License-Identifier: Apache-2.0
# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Runs in the Python that has ``aim``, which reads its own repository, and prints each run as lines of JSON.

It imports nothing of mindscope.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def _open(path: str) -> Any:
    """Open a repository without its index, which may lack runs."""
    from aim.sdk.repo import ContainerConfig, Repo
    from aim.storage.union import RocksUnionContainer

    repo: Any = Repo(path)
    meta = os.path.join(repo.path, "meta")  # noqa: PTH118
    repo.chunks = RocksUnionContainer(meta, read_only=True)  # the pool holds it weakly
    repo.container_pool[ContainerConfig("meta", None, True)] = repo.chunks
    return repo


def _print(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message, default=str) + "\n")


def _attributes(run: Any) -> Any:
    try:
        return run[...]
    except KeyError:  # it has none
        return {}


def main() -> None:
    """Print the runs of the repository that the first argument names."""
    for run in _open(sys.argv[1]).iter_runs():
        facts = {"name": run.name, "experiment": run.experiment, "notes": run.description, "tags": list(run.tags)}
        _print({"run": run.hash, "facts": facts, "params": _attributes(run)})
        for metric in run.metrics():
            rows = [[step, value[0], value[2]] for step, value in metric.data.items()]
            _print({"metric": metric.name, "context": metric.context.to_dict(), "rows": rows})
        _print({"end": run.hash})


if __name__ == "__main__":
    main()
