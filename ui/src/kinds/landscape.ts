// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";

export const LANDSCAPE: KindDescriptor = {
  kind: "landscape",
  title: "dashboard.landscape",
  icon: "M2 12.5c2.2 0 3-7 4.6-7s1.6 4 3 4 1.5-2.5 2.4-2.5 1.2 5.5 2 5.5M2 13.5h12",
  count: "kind.landscape",
  card: {
    testid: "card-landscape",
    code: `SummaryCollector(summary_dir,
  collect_specified_data={
    "collect_landscape":
      {"landscape_size": 40}})`,
    preview: () => import("../pages/previews/LandscapePreview.svelte"),
    saved: async () => (await import("../pages/previews/structures")).savedLandscape,
  },
};
