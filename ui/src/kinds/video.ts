// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";
import { MEDIA_PAGE } from "./media";

const icon = "M2.5 3h11v10h-11ZM5.2 3v10M10.8 3v10M2.5 6.3h2.7M2.5 9.7h2.7M10.8 6.3h2.7M10.8 9.7h2.7";

export const VIDEO: KindDescriptor = {
  kind: "video",
  title: "nav.video",
  icon,
  count: "kind.video",
  pages: [MEDIA_PAGE],
  media: {
    empty: "video.empty",
    code: `record.add_value("video", "rollout", {"frames": frames, "fps": 10})  # (T, H, W, C)
record.record(step)`,
    load: async () => ({ Card: (await import("../pages/video/VideoCard.svelte")).default }),
    saved: async () => (await import("../pages/video/videoExport")).videoMedia,
  },
};
