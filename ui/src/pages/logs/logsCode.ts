// SPDX-License-Identifier: Apache-2.0
/** Lines that record logs: of MindSpore, and of any program. */
export const LOGS_CODE = `# Logs of MindSpore
GLOG_v=1 GLOG_logtostderr=0 GLOG_log_dir=runs/first python train.py

# Output of a training
import mindscope
with mindscope.capture_output("runs/first"):
    train()

# Any file in or beside the directory of the run
python train.py 2>&1 | tee runs/first/train.log`;
