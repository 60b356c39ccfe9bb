// SPDX-License-Identifier: Apache-2.0
import { groupDigits } from "../core/text/format";
import { t } from "../i18n/i18n.svelte";
import type { KindDescriptor } from "../pages/previews/kind";

const icon = "graph";

export const GRAPH: KindDescriptor = {
  kind: "graph",
  title: "dashboard.graph",
  icon,
  count: "kind.graph",
  pages: [
    {
      path: "/graph",
      group: "model",
      name: "nav.graph",
      icon,
      load: () => import("../pages/graphs/GraphsPage.svelte"),
      shows: ["graph"],
      contents: ["graph_file"],
    },
  ],
  card: {
    testid: "card-graph",
    code: `SummaryCollector(summary_dir,
  collect_specified_data={
    "collect_graph": True})`,
    holds: ({ tags, contents }) => (tags.graph ?? 0) > 0 || (contents?.some(({ kind }) => kind === "graph_file") ?? false),
    amount: (previews) => {
      if (!previews) return null;
      const nodes = previews.graph?.nodes;
      return nodes === undefined ? "" : t("dashboard.nodes", { n: nodes, nodes: groupDigits(nodes) });
    },
    preview: () => import("../pages/previews/GraphPreview.svelte"),
    saved: async () => (await import("../pages/previews/structures")).savedGraph,
  },
};
