# SPDX-License-Identifier: Apache-2.0
"""Requests of a page that the server seems not to answer, until the test lets them go."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Route


class HeldRequests:
    """Holds the requests whose address matches ``pattern``, and later ones, until ``release``."""

    def __init__(self, context: BrowserContext, pattern: str) -> None:
        self._held: list[Route] = []
        self._is_released = False
        context.route(pattern, self._take)

    def _take(self, route: Route) -> None:
        if self._is_released:
            route.continue_()
        else:
            self._held.append(route)

    def release(self) -> None:
        self._is_released = True
        for route in self._held:
            route.continue_()
