// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";
import { MEDIA_PAGE } from "./media";

const icon = "M2.5 6.5v3M5.2 4v8M8 2.5v11M10.8 5v6M13.5 6.8v2.4";

export const AUDIO: KindDescriptor = {
  kind: "audio",
  title: "nav.audio",
  icon,
  count: "kind.audio",
  pages: [MEDIA_PAGE],
  media: {
    empty: "audio.empty",
    code: `from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter("runs/a")
writer.add_audio("tone", samples, step, sample_rate=16000)`,
    load: async () => ({ Card: (await import("../pages/audio/AudioCard.svelte")).default }),
    saved: async () => (await import("../pages/audio/audioExport")).audioMedia,
    tallest: 240,
  },
};
