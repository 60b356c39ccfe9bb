// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";
import { MEDIA_PAGE } from "./media";

const icon = "M2.5 3.5h11v9h-11ZM2.5 10.8l3.2-3.2 3 3 1.8-1.8 3 3M10.6 6.2v.1";

export const IMAGE: KindDescriptor = {
  kind: "image",
  title: "nav.images",
  icon,
  count: "kind.image",
  pages: [MEDIA_PAGE],
  card: {
    testid: "card-images",
    isTagged: true,
    code: `record.add_value("image", "input", images)
record.record(step)`,
    preview: () => import("../pages/images/ImagePreview.svelte"),
    saved: async () => (await import("../pages/images/imagePreview")).saved,
  },
  media: {
    empty: "images.empty",
    code: `record.add_value("image", "input", images)  # (N, C, H, W)
record.record(step)`,
    load: async () => {
      const [card, full, controls] = await Promise.all([
        import("../pages/images/ImageCard.svelte"),
        import("../pages/images/ImageFull.svelte"),
        import("../pages/images/ImageControls.svelte"),
      ]);
      return { Card: card.default, Full: full.default, Controls: controls.default };
    },
    saved: async () => (await import("../pages/images/imagesExport")).imageMedia,
  },
};
