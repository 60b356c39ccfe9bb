# SPDX-License-Identifier: Apache-2.0
"""The names of each redirected module; ``names_of`` returns those of a module or of one below it."""
