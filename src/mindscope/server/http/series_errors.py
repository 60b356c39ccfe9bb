# SPDX-License-Identifier: Apache-2.0
"""An error in the place of one series of an answer, so that the others are answered."""

from __future__ import annotations

import logging

from mindscope.errors import MindscopeError
from mindscope.reasons import Reason, reason_of, unforeseen_reason

log = logging.getLogger(__name__)


def series_reason(error: Exception, run: str, tag: str) -> Reason:
    """Why there is nothing of a series; what is no error of ours is logged."""
    if isinstance(error, MindscopeError):
        return reason_of(error)
    log.error("%s of run %s could not be computed", tag, run, exc_info=error)
    return unforeseen_reason(error)
