# SPDX-License-Identifier: Apache-2.0
"""Profiles of all ranks of one training: clocks, rank x step, collectives, links, stragglers, advice."""
