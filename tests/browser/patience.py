# SPDX-License-Identifier: Apache-2.0
"""Waiting for what a page comes to show, however slow the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain, repeat
from typing import Any

from playwright.sync_api import Page, Request

PATIENCE_S = 60.0
PAUSES_MS = (10, 20, 40, 80)
"""How long ``until`` waits before it looks again: a look takes the time that the page needs."""


def body(request: Request) -> bytes:
    """The answer to a request that finished; one that the page drops has none."""
    response = request.response()
    assert response is not None
    return response.body()


def until(page: Page, look: Callable[[], Any]) -> Any:
    """The first true result of ``look``; the browser tells what happens only while a page is waited for."""
    deadline = time.monotonic() + PATIENCE_S
    pauses = chain(PAUSES_MS, repeat(PAUSES_MS[-1]))
    while not (result := look()):
        assert time.monotonic() < deadline, f"not true within {PATIENCE_S} s"
        page.wait_for_timeout(next(pauses))
    return result
