// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";
import { MEDIA_PAGE } from "./media";

const icon = "M2.5 2.5h11v11h-11ZM2.5 6.2h11M2.5 9.8h11M6.2 2.5v11M9.8 2.5v11";

export const TENSOR: KindDescriptor = {
  kind: "tensor",
  title: "nav.tensors",
  icon,
  count: "kind.tensor",
  pages: [MEDIA_PAGE],
  card: {
    testid: "card-tensors",
    isTagged: true,
    code: `record.add_value("tensor", "fc1.weight", weight)
record.record(step)`,
    preview: () => import("../pages/tensors/TensorOverview.svelte"),
    saved: async () => (await import("../pages/tensors/tensorPreview")).saved,
  },
  media: {
    empty: "tensors.empty",
    code: `record.add_value("tensor", "fc1.weight", weight)
record.record(step)`,
    load: async () => {
      const [card, full] = await Promise.all([import("../pages/tensors/TensorCard.svelte"), import("../pages/tensors/TensorFull.svelte")]);
      return { Card: card.default, Full: full.default };
    },
    saved: async () => (await import("../pages/tensors/tensorsExport")).tensorMedia,
  },
};
