// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";
import { MEDIA_PAGE } from "./media";

const icon = "M3 4h10M3 7h10M3 10h10M3 13h6";

export const TEXT: KindDescriptor = {
  kind: "text",
  title: "nav.texts",
  icon,
  count: "kind.text",
  pages: [MEDIA_PAGE],
  media: {
    empty: "texts.empty",
    code: `from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter("runs/a")
writer.add_text("note", "**lr** lowered", step)`,
    load: async () => {
      const [card, controls] = await Promise.all([import("../pages/texts/TextCard.svelte"), import("../pages/texts/TextControls.svelte")]);
      return { Card: card.default, Controls: controls.default };
    },
    saved: async () => (await import("../pages/texts/textsExport")).textMedia,
    around: 112,
  },
};
