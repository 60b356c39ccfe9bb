# SPDX-License-Identifier: Apache-2.0
"""Objects that threads wait for."""
