# SPDX-License-Identifier: Apache-2.0
"""Tables that only one format has, as they are in its files."""
