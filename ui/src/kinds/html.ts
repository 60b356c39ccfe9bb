// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";
import { MEDIA_PAGE } from "./media";

const icon = "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5M9 3 7 13";

export const HTML: KindDescriptor = {
  kind: "html",
  title: "nav.html",
  icon,
  count: "kind.html",
  pages: [MEDIA_PAGE],
  media: {
    empty: "html.empty",
    code: `record.add_value("html", "attention", "<table>...</table>")
record.record(step)`,
    load: async () => ({ Card: (await import("../pages/html/HtmlCard.svelte")).default }),
    saved: async () => (await import("../pages/html/htmlExport")).htmlMedia,
  },
};
