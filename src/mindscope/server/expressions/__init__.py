# SPDX-License-Identifier: Apache-2.0
"""Lines of expressions over tags."""
