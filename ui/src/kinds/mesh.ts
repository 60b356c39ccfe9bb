// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";
import { MEDIA_PAGE } from "./media";

const icon = "M8 2 13.5 5v6L8 14 2.5 11V5ZM2.5 5 8 8l5.5-3M8 8v6";

export const MESH: KindDescriptor = {
  kind: "mesh",
  title: "nav.meshes",
  icon,
  count: "kind.mesh",
  pages: [MEDIA_PAGE],
  media: {
    empty: "mesh.empty",
    code: `record.add_value("mesh", "shape", {"vertices": vertices, "faces": faces, "colors": colors})
record.record(step)`,
    load: async () => {
      const [card, controls] = await Promise.all([
        import("../pages/meshes/MeshCard.svelte"),
        import("../pages/meshes/MeshControls.svelte"),
      ]);
      return { Card: card.default, Controls: controls.default };
    },
    saved: async () => (await import("../pages/meshes/meshExport")).meshMedia,
  },
};
