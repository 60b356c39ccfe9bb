# SPDX-License-Identifier: Apache-2.0
"""Runs in remote stores: object stores by obstore, others by fsspec, and the local directory that mirrors them."""
