# SPDX-License-Identifier: Apache-2.0
"""Configurations, summaries, media and system metrics of a run, read back."""

from __future__ import annotations

import argparse
import dataclasses
import os
import subprocess
import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

import mindscope
from mindscope.cli.app import app
from mindscope.reading.lineage_table import read_table as _unused  # noqa: F401
