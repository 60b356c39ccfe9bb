// SPDX-License-Identifier: Apache-2.0
import { graphDrawing } from "../../charts/export/graphDrawing";
import { themedImage } from "../../charts/export/themedImage";
import { landscapeCanvas, pathOver } from "../../charts/heat/landscapeCanvas";
import { formatValue } from "../../core/text/format";
import type { CardContent } from "../../export/html/model";
import { t } from "../../i18n/i18n.svelte";
import type { Previews } from "../../state/data/values.svelte";
import type { SavedPreview } from "./kind";

const SIZE = { width: 560, height: 280 };
const NOTHING: CardContent = { facts: [], parts: [] };

export const savedGraph: SavedPreview = ({ run, previews: { graph } }) => Promise.resolve(graph ? graphContent(run, graph) : NOTHING);
export const savedPipeline: SavedPreview = ({ previews: { pipeline } }) => Promise.resolve(pipeline ? pipelineContent(pipeline) : NOTHING);
export const savedLandscape: SavedPreview = ({ run, previews: { landscape } }) =>
  Promise.resolve(landscape ? landscapeContent(run, landscape) : NOTHING);

function graphContent(run: string, graph: NonNullable<Previews["graph"]>): CardContent {
  const drawing = graphDrawing(graph.scopes, graph.flows, SIZE);
  return {
    facts: [],
    parts: [{ kind: "drawing", label: t("dashboard.graph_label", { run }), drawing, values: { scopes: graph.scopes, flows: graph.flows } }],
  };
}

function pipelineContent({ stages }: NonNullable<Previews["pipeline"]>): CardContent {
  const rows = stages.map(({ name, detail }, index) => ({
    color: null,
    cells: [
      { text: `${index + 1}. ${name}`, value: name },
      { text: detail, value: detail },
    ],
  }));
  const columns = [
    { title: t("dashboard.pipeline"), isNumber: false },
    { title: "", isNumber: false },
  ];
  return { facts: [], parts: [{ kind: "table", label: t("dashboard.pipeline"), columns, rows }] };
}

function landscapeContent(
  run: string,
  { tag, x, y, losses, path_x: pathX, path_y: pathY }: NonNullable<Previews["landscape"]>,
): CardContent {
  const path = pathOver({ x, y, pathX, pathY }).map(
    (point, index) => `${index === 0 ? "M" : "L"}${point.x.toFixed(4)} ${point.y.toFixed(4)}`,
  );
  const finite = losses.flat().filter((loss): loss is number => loss !== null);
  const legend = { low: formatValue(Math.min(...finite)), high: formatValue(Math.max(...finite)), marks: [] };
  const part = {
    kind: "cells" as const,
    label: t("dashboard.landscape_label", { run }),
    ...themedImage((rgb) => landscapeCanvas(losses, rgb)),
    cells: [losses[0]?.length ?? 0, losses.length] as const,
    over: `<path class="path" d="${path.join("")}"/>`,
    legend,
    values: { x, y, losses, path_x: pathX, path_y: pathY },
  };
  return { facts: [tag], parts: [part] };
}
