# SPDX-License-Identifier: Apache-2.0
"""The barrier around a value: whatever its bytes make a decoder raise becomes an error of ours."""

from __future__ import annotations

from mindscope.errors import FormatError
from mindscope.reasons import Reason


def as_format_error(error: Exception, kind: str) -> FormatError:
    """``error`` itself when it is a FormatError, else one that names the ``kind`` of the value and what was raised."""
    if isinstance(error, FormatError):
        return error
    is_plain = type(error) in (ValueError, TypeError, OverflowError)  # their texts need no name before them
    why = str(error) if is_plain else f"{type(error).__name__}: {error}"
    return FormatError(Reason("value_malformed", kind=kind, why=why))
