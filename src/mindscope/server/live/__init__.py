# SPDX-License-Identifier: Apache-2.0
"""Changes as server-sent events."""
