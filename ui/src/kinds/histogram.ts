// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";

const icon = "M2.5 7.5c3.2 0 3-4.5 5.5-4.5s2.3 4.5 5.5 4.5M2.5 13c3.2 0 2.6-5 5-5s2.8 5 6 5";

export const HISTOGRAM: KindDescriptor = {
  kind: "histogram",
  title: "nav.histograms",
  icon,
  count: "kind.histogram",
  pages: [
    {
      path: "/histograms",
      group: "data",
      name: "nav.histograms",
      icon,
      load: () => import("../pages/histograms/HistogramsPage.svelte"),
      shows: ["histogram"],
    },
  ],
  card: {
    title: "dashboard.histograms",
    testid: "card-histograms",
    isTagged: true,
    code: `record.add_value("histogram", "conv1.weight", weight)
record.record(step)`,
    preview: () => import("../pages/histograms/HistogramPreview.svelte"),
    saved: async () => (await import("../pages/histograms/histogramPreview")).saved,
  },
};
