# SPDX-License-Identifier: Apache-2.0
"""The graph of the recorder's network."""

from __future__ import annotations

from typing import Any

from mindscope.capture.drop_counter import DropCounter
from mindscope.capture.messages import check_graph, graph_bytes
from mindscope.capture.pending import PendingValue


class NetworkGraph:
    """Finds the graph once, at the first step at which a network has it: most have none before compilation.

    Raises:
        TypeError: ``network`` can't provide a graph.
    """

    def __init__(self, network: Any) -> None:
        self.network = check_graph(network)
        """None if the recorder got no network."""
        self._is_found = False

    def find(self, train_network: Any, drops: DropCounter) -> PendingValue | None:
        """Return the graph of this network, else of ``train_network``; None if neither has one, or after it was found.

        Raises TypeError for a ``train_network`` that can't provide a graph.
        """
        for network in (self.network, check_graph(train_network)):
            if network is None or self._is_found:
                continue
            try:
                encoded = graph_bytes(network)
            except Exception as error:  # frameworks raise various errors before the network is compiled
                drops.warn_once("graph", "network", f"no graph of {type(network).__name__} yet: {error}")
                continue
            self._is_found = True
            return PendingValue("graph", "", len(encoded), lambda encoded=encoded: encoded)
        return None
