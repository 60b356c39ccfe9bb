# SPDX-License-Identifier: Apache-2.0
"""All ranks of a training, compared: clocks, rank x step, collectives, links, stragglers, advice."""
