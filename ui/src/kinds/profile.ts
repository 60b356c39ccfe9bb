// SPDX-License-Identifier: Apache-2.0
import { t } from "../i18n/i18n.svelte";
import type { KindDescriptor } from "../pages/previews/kind";

const icon = "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.6";

export const PROFILE: KindDescriptor = {
  kind: "profile",
  title: "dashboard.profile",
  icon,
  pages: [
    {
      path: "/profile",
      group: "system",
      name: "nav.profile",
      icon,
      load: () => import("../pages/profiling/ProfilingPage.svelte"),
      shows: [],
      contents: [
        "torch_profile",
        "chrome_profile",
        "mindspore_profile",
        "ascend_profile",
        "cann_profile",
        "xla_profile",
        "nsight_profile",
        "memory_profile",
      ],
    },
  ],
  card: {
    testid: "card-profile",
    code: `profiler = Profiler(
  output_path=summary_dir)
model.train(...)
profiler.analyse()`,
    amount: (_previews, _fields, run) => {
      if (!run) return null;
      const n = (run.contents ?? []).reduce((sum, { kind, count }) => sum + (kind.endsWith("_profile") ? count : 0), 0);
      return n === 0 ? "" : t("kind.profile", { n });
    },
    preview: () => import("../pages/previews/ProfilePreview.svelte"),
    saved: async () => (await import("../pages/previews/profilePreview")).saved,
  },
};
