# SPDX-License-Identifier: Apache-2.0
"""Tables of a profile: their columns and schema, how rows merge, and what each table holds."""
