# SPDX-License-Identifier: Apache-2.0
"""Every third of the processes that run all tests imports the frameworks, which takes a process seconds.

The others collect no test of ``PLACES``, and run what remains.
"""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

PLACES = ("torch", "mindspore", "interop", "server/test_openapi.py")
"""In ``tests/``: modules that import frameworks when they are collected, or make requests for each route."""
EVERY = 3
WHOLE = ("", "slow", "not slow")
"""Selections by marks that take tests of all folders."""


def is_whole_run(config: pytest.Config) -> bool:
    """Whether tests of all folders run, file by file; another part of them may be tests of frameworks alone."""
    return (
        config.args_source is pytest.Config.ArgsSource.TESTPATHS
        and config.option.dist == "loadfile"
        and config.option.markexpr in WHOLE
        and not config.option.keyword
    )


def imports_frameworks(worker: str, workers: int) -> bool:
    """A process that replaces one that crashed has a later number, and collects what xdist expects of it: all."""
    number = int(worker.removeprefix("gw"))
    return number % EVERY == 0 or number >= workers


class FrameworksApart(LoadFileScheduling):
    """Gives each process files that it has collected."""

    def _check_nodes_have_same_collection(self) -> bool:
        """Whether one process has collected what any has; it becomes the first, whose items xdist distributes."""
        largest_first = sorted(self.registered_collections.items(), key=lambda each: -len(each[1]))
        self.registered_collections = dict(largest_first)
        everything = {*largest_first[0][1]}
        others = {node: {*items} - everything for node, items in largest_first}
        for node, items in others.items():
            if items:
                self._fail(node, sorted(items))
        return not any(others.values())

    def _fail(self, node: WorkerController, items: list[str]) -> None:
        """Without an error, the run would end as if there were no tests."""
        found = f"collected tests that another process did not: {items[:5]}; ids must not be random"
        report = pytest.CollectReport(node.gateway.id, "failed", found, [])
        self.config.hook.pytest_collectreport(report=report)

    def _assign_work_unit(self, node: WorkerController) -> None:
        known = {*self.registered_collections[node]}
        scope = next((scope for scope, items in self.workqueue.items() if known.issuperset(items)), None)
        if scope is None:
            node.shutdown()
        else:
            self.workqueue.move_to_end(scope, last=False)
            super()._assign_work_unit(node)
