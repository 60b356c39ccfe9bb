#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the compiled modules with AddressSanitizer and UndefinedBehaviorSanitizer, apart from the usual ones, and runs the
# tests of the formats, of histograms and pictures and a longer fuzz under them. Usage: sanitized.sh PYTHON
set -euo pipefail
python=$(command -v "$1")
cd "$(dirname "$0")/../.."
place=$PWD/build/sanitize
# A number that overflows or a shift by too much is an error, not a line in a log.
flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g -O1"
mkdir -p "$place"
CFLAGS="$flags" LDFLAGS="-fsanitize=address,undefined" MINDSCOPE_SKIP_UI=1 \
  "$python" setup.py --quiet build --build-base "$place" --build-lib "$place/lib" --force
export PYTHONPATH=$place/lib PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1
export LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
# The interpreter itself leaves memory at its end, and a lying length may ask for more than there is.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
"$python" - <<'SCRIPT'
import pathlib, sys
from mindscope.formats import _decoding, _encoding, _frames, _scalar_events, _scan, _schema
for module in (_decoding, _encoding, _frames, _scalar_events, _scan, _schema):
    assert "sanitize" in module.__file__, f"{module.__file__} is not the sanitized module"
    print("sanitized:", module.__file__)
SCRIPT
tests=(tests/formats tests/capture/test_histograms.py tests/capture/test_images.py)
[ -d "$place/lib/mindscope/stats" ] && ls "$place"/lib/mindscope/stats/*.so >/dev/null 2>&1 && tests+=(tests/stats)
MINDSCOPE_FUZZ_MUTANTS=${MINDSCOPE_FUZZ_MUTANTS:-300} "$python" -m pytest -q -p no:cacheprovider --timeout 900 "${tests[@]}"
