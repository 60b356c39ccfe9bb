// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";
import { MEDIA_PAGE } from "./media";

const icon = "M2.5 3h11v10h-11ZM2.5 6.2h11M2.5 9.6h11M6.4 6.2V13";

export const TABLE: KindDescriptor = {
  kind: "table",
  title: "nav.tables",
  icon,
  count: "kind.table",
  pages: [MEDIA_PAGE],
  media: {
    empty: "tables.empty",
    code: `record.add_value("table", "predictions", {"label": labels, "score": scores, "input": images})
record.record(step)`,
    load: async () => {
      const [card, full] = await Promise.all([import("../pages/tables/TableCard.svelte"), import("../pages/tables/TableFull.svelte")]);
      return { Card: card.default, Full: full.default };
    },
    saved: async () => (await import("../pages/tables/tablesExport")).tableMedia,
  },
};
