// SPDX-License-Identifier: Apache-2.0
import { t } from "../i18n/i18n.svelte";
import type { KindDescriptor } from "../pages/previews/kind";

export const PIPELINE: KindDescriptor = {
  kind: "pipeline",
  title: "dashboard.pipeline",
  icon: "pipeline",
  pages: [
    {
      path: "/graph/dataset",
      group: "data",
      name: "nav.dataset_graph",
      icon: "pipeline",
      load: () => import("../pages/graphs/DatasetGraphPage.svelte"),
      shows: ["dataset_graph"],
      alsoShows: ["mindspore_profile", "ascend_profile", "torch_profile"],
    },
    {
      path: "/lineage/data",
      group: "data",
      name: "nav.data_lineage",
      icon: "M2.5 3h3v3h-3ZM6.5 3h3v3h-3ZM10.5 3h3v3h-3ZM2.5 10h3v3h-3ZM10.5 10h3v3h-3Z",
      load: () => import("../pages/lineage/DataLineagePage.svelte"),
      shows: ["dataset_graph"],
    },
  ],
  card: {
    testid: "card-pipeline",
    code: `SummaryCollector(summary_dir,
  collect_specified_data={
    "collect_dataset_graph": True})`,
    holds: ({ tags }) => (tags.dataset_graph ?? 0) > 0,
    amount: (previews) => {
      if (!previews) return null;
      return previews.pipeline ? t("dashboard.stages", { n: previews.pipeline.stages.length }) : "";
    },
    preview: () => import("../pages/previews/PipelinePreview.svelte"),
    saved: async () => (await import("../pages/previews/structures")).savedPipeline,
  },
};
