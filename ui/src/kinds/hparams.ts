// SPDX-License-Identifier: Apache-2.0
import { t } from "../i18n/i18n.svelte";
import type { KindDescriptor } from "../pages/previews/kind";

const LINEAGE = ["hparams", "train_lineage", "eval_lineage", "custom_lineage_data"];

export const HPARAMS: KindDescriptor = {
  kind: "hparams",
  title: "dashboard.lineage",
  icon: "M2.5 3h11v10h-11ZM2.5 6h11M6.5 6v7M10 6v7",
  chart: "coordinates",
  card: {
    testid: "card-lineage",
    code: `SummaryCollector(summary_dir,
  collect_specified_data={
    "collect_train_lineage": True})`,
    holds: ({ tags }, fields) => fields !== 0 && LINEAGE.some((kind) => (tags[kind] ?? 0) > 0),
    amount: (_, fields) => (fields === null ? null : fields === 0 ? "" : t("dashboard.fields", { n: fields })),
    preview: () => import("../pages/previews/LineagePreview.svelte"),
    saved: async () => (await import("../pages/previews/lineageFields")).savedLineage,
  },
};
