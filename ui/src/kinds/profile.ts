// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";

export const PROFILE: KindDescriptor = {
  kind: "profile",
  title: "dashboard.profile",
  icon: "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.6",
  card: {
    testid: "card-profile",
    code: {
      mindspore: "# MindSpore\nprofiler = mindspore.Profiler()\nmodel.train(...)\nprofiler.analyse()",
      pytorch: "# PyTorch\nwith torch.profiler.profile() as profiler:\n    train()",
    },
    how: "dashboard.profile_how",
    amount: () => "",
  },
};
