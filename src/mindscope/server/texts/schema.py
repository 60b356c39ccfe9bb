# SPDX-License-Identifier: Apache-2.0
"""Messages about texts."""

from __future__ import annotations

from mindscope.server.http.schema import Answer


class TextAnswer(Answer):
    """The texts of one value."""

    texts: list[str]
