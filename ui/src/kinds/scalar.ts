// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";

const icon = "M2.5 2.5v11h11M5 10.5c1.2 0 1.6-5 3-5s1.6 3 2.6 3S12 5.5 13.5 4.5";

export const SCALAR: KindDescriptor = {
  kind: "scalar",
  title: "nav.scalars",
  icon,
  count: "kind.scalar",
  pages: [
    {
      path: "/scalars",
      group: "results",
      name: "nav.scalars",
      words: "search.words_scalars",
      icon,
      load: () => import("../pages/scalars/ScalarsPage.svelte"),
      shows: ["scalar"],
    },
  ],
  card: {
    testid: "card-scalars",
    isTagged: true,
    code: `record.add_value("scalar", "loss", loss)
record.record(step)`,
    preview: () => import("../pages/scalars/ScalarPreview.svelte"),
    saved: async () => (await import("../pages/scalars/scalarPreview")).saved,
  },
};
