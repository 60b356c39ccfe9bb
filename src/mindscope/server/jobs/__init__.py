# SPDX-License-Identifier: Apache-2.0
"""Jobs: work that takes longer than a request."""
