// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";

const icon = "M2.5 3h11v10h-11ZM2.5 6h11M6.5 6v7M10 6v7";

export const HPARAMS: KindDescriptor = {
  kind: "hparams",
  title: "nav.model_lineage",
  icon,
  pages: [
    {
      path: "/lineage/models",
      name: "nav.model_lineage",
      icon,
      load: () => import("../pages/lineage/ModelLineagePage.svelte"),
      shows: ["hparams", "train_lineage", "eval_lineage", "custom_lineage_data"],
    },
  ],
};
