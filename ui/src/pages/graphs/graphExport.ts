// SPDX-License-Identifier: Apache-2.0
import { wholeGraphPicture } from "../../charts/graphs/graphPainter";
import type { GraphLook } from "../../charts/graphs/graphPainting";
import { pictureDrawing } from "../../charts/frame/picture";
import type { GraphPicture } from "../../core/graphs/view/graphPicture";
import type { CardContent, ViewPlan } from "../../export/html/model";
import { namedRun, namedRuns } from "../../export/selectedRuns";
import { t } from "../../i18n/i18n.svelte";
import { view } from "../../state/view/view.svelte";

/** The whole graph with the scopes that are open. */
export function graphExport(run: string, graph: string, picture: GraphPicture, look: GraphLook): ViewPlan {
  const card = { title: graph, run: namedRun(run), hasPrefix: false, isWide: true, make: () => Promise.resolve(contentOf()) };

  function contentOf(): CardContent {
    const drawing = pictureDrawing(wholeGraphPicture("", picture, look));
    return { facts: [], parts: [{ kind: "drawing", label: t("dashboard.graph_label", { run }), drawing, isNatural: true, values: null }] };
  }

  return {
    page: "graph",
    title: t("nav.graph"),
    runs: namedRuns([run]),
    settings: [{ name: t("graph.color"), value: t(`graph.color_${view.graphs.color}`) }],
    sections: [{ title: graph, cards: [card] }],
    pin: { view: { graphs: { ...view.graphs, run, graph } } },
  };
}
