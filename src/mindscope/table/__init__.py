# SPDX-License-Identifier: Apache-2.0
"""Tables of NumPy columns with a schema: units, merge rules, groups, orders, files, data frames."""
