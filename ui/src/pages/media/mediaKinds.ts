// SPDX-License-Identifier: Apache-2.0
import type { Component } from "svelte";

import type { MediaKind } from "../../core/view/valueView";
import type { SavedMedia } from "../../export/stepCards";
import type { MessageKey } from "../../i18n/i18n.svelte";
import type { TagRuns } from "../../state/data/tags.svelte";
import type { MediaCardProps } from "../series/mediaCard";

/** What shows media of a kind. */
export interface MediaCode {
  Card: Component<MediaCardProps>;
  /** One tag over the whole page; without it the card of each run. */
  Full?: Component<{ tag: TagRuns }>;
  /** Own controls in the toolbar. */
  Controls?: Component;
}

/** How the page Media shows a kind. */
interface MediaDescriptor {
  title: MessageKey;
  /** Title of the page without values, and code that records one. */
  empty: MessageKey;
  code: string;
  /** The code comes when the page first shows the kind. */
  load: () => Promise<MediaCode>;
  saved: () => Promise<SavedMedia>;
  /** Height that a card needs at most, in pixels. */
  tallest?: number;
  /** Height that a card needs beside that of its content, where it reports that. */
  around?: number;
}

export const MEDIA: Readonly<Record<MediaKind, MediaDescriptor>> = {
  image: {
    title: "nav.images",
    empty: "images.empty",
    code: `record.add_value("image", "input", images)  # (N, C, H, W)
record.record(step)`,
    load: async () => {
      const [card, full, controls] = await Promise.all([
        import("../images/ImageCard.svelte"),
        import("../images/ImageFull.svelte"),
        import("../images/ImageControls.svelte"),
      ]);
      return { Card: card.default, Full: full.default, Controls: controls.default };
    },
    saved: async () => (await import("../images/imagesExport")).imageMedia,
  },
  text: {
    title: "nav.texts",
    empty: "texts.empty",
    code: `from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter("runs/a")
writer.add_text("note", "**lr** lowered", step)`,
    load: async () => {
      const [card, controls] = await Promise.all([import("../texts/TextCard.svelte"), import("../texts/TextControls.svelte")]);
      return { Card: card.default, Controls: controls.default };
    },
    saved: async () => (await import("../texts/textsExport")).textMedia,
    around: 112,
  },
  audio: {
    title: "nav.audio",
    empty: "audio.empty",
    code: `from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter("runs/a")
writer.add_audio("tone", samples, step, sample_rate=16000)`,
    load: async () => ({ Card: (await import("../audio/AudioCard.svelte")).default }),
    saved: async () => (await import("../audio/audioExport")).audioMedia,
    tallest: 240,
  },
  video: {
    title: "nav.video",
    empty: "video.empty",
    code: `record.add_value("video", "rollout", {"frames": frames, "fps": 10})  # (T, H, W, C)
record.record(step)`,
    load: async () => ({ Card: (await import("../video/VideoCard.svelte")).default }),
    saved: async () => (await import("../video/videoExport")).videoMedia,
  },
  tensor: {
    title: "nav.tensors",
    empty: "tensors.empty",
    code: `record.add_value("tensor", "fc1.weight", weight)
record.record(step)`,
    load: async () => {
      const [card, full] = await Promise.all([import("../tensors/TensorCard.svelte"), import("../tensors/TensorFull.svelte")]);
      return { Card: card.default, Full: full.default };
    },
    saved: async () => (await import("../tensors/tensorsExport")).tensorMedia,
  },
};
