# SPDX-License-Identifier: Apache-2.0
"""People's own data about runs."""
