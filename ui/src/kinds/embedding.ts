// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";

const icon = "M4 4.5v.1M6.5 3v.1M5.5 6.5v.1M11 9.5v.1M13 12v.1M10 12.5v.1M12.5 8v.1M4 12v.1M8 9v.1M12 3.5v.1";

/** Files of a run that no event announces. */
export const EMBEDDING: KindDescriptor = {
  kind: "embedding",
  title: "nav.embeddings",
  icon,
  pages: [
    {
      path: "/embeddings",
      group: "data",
      name: "nav.projector",
      icon,
      load: () => import("../pages/embeddings/EmbeddingsPage.svelte"),
      shows: [],
      contents: ["embedding"],
    },
  ],
};
