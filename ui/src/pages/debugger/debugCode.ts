// SPDX-License-Identifier: Apache-2.0
/** Lines that record debugging data: in PyTorch, and in MindSpore. */
export const DEBUG_CODE = `# PyTorch
from mindscope.torch import Debugger
with Debugger("runs/first", network) as debugger:
    for batch in loader:
        train_step(batch)
        debugger.step()

# MindSpore: dump into the directory of the run
#   dump.json: {"common_dump_settings": {"path": "/absolute/path/runs/first/dump", ...}}
MINDSPORE_DUMP_CONFIG=dump.json python train.py`;
