# SPDX-License-Identifier: Apache-2.0
"""The reason of an error in one series, so that a response contains the other series."""

from __future__ import annotations

import logging

from mindscope.errors import MindscopeError
from mindscope.reasons import Reason, reason_of, unforeseen_reason

log = logging.getLogger(__name__)


def series_reason(error: Exception, run: str, tag: str) -> Reason:
    """Return the reason of an error. Logs an error that is not a ``MindscopeError``."""
    if isinstance(error, MindscopeError):
        return reason_of(error)
    log.error("%s of run %s could not be computed", tag, run, exc_info=error)
    return unforeseen_reason(error)
