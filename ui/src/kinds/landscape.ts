// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";

const icon = "landscape";

export const LANDSCAPE: KindDescriptor = {
  kind: "landscape",
  title: "dashboard.landscape",
  icon,
  count: "kind.landscape",
  pages: [
    {
      path: "/landscape",
      group: "model",
      name: "nav.landscape",
      icon,
      load: () => import("../pages/landscapes/LandscapesPage.svelte"),
      shows: ["landscape"],
    },
  ],
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
