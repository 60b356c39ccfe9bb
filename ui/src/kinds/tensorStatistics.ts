// SPDX-License-Identifier: Apache-2.0
import { DEBUG_DATA } from "../core/debugger/debugData";
import { t } from "../i18n/i18n.svelte";
import type { KindDescriptor } from "../pages/previews/kind";

const icon =
  "M5 6.2h6v4.3a3 3 0 0 1-6 0ZM6 6.2V5a2 2 0 0 1 4 0v1.2M2.5 6l2.5 1.6M13.5 6 11 7.6M2 10.3h3M14 10.3h-3M3 14l2.4-2M13 14l-2.4-2";

export const TENSOR_STATISTICS: KindDescriptor = {
  kind: "tensor_statistics",
  title: "nav.debugger",
  icon,
  count: "kind.tensor_statistics",
  pages: [
    {
      path: "/debugger",
      group: "system",
      name: "nav.debugger",
      icon,
      load: () => import("../pages/debugger/DebuggerPage.svelte"),
      ...DEBUG_DATA,
      alsoShows: ["flight_record", "running_data"],
    },
  ],
  card: {
    testid: "card-debugger",
    code: {
      pytorch: `with Debugger(run, network) as debugger:
  for batch in loader:
    train_step(batch)
    debugger.step()`,
      mindspore: `# dump into the directory of the run
MINDSPORE_DUMP_CONFIG=dump.json \\
  python train.py`,
    },
    amount: (_previews, _fields, run) => {
      if (!run) return null;
      const hasDump = run.contents?.some(({ kind }) => DEBUG_DATA.contents.includes(kind)) ?? false;
      return hasDump || (run.tags.tensor_statistics ?? 0) > 0 ? t("kind.tensor_statistics") : "";
    },
    preview: () => import("../pages/debugger/preview/DebuggerPreview.svelte"),
    saved: async () => (await import("../pages/debugger/preview/debuggerPreview")).saved,
  },
};
