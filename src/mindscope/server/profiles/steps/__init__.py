# SPDX-License-Identifier: Apache-2.0
"""The steps of a profile: their phases, and on what their time went."""
