// SPDX-License-Identifier: Apache-2.0
import type { GraphLook } from "../../charts/graphs/graphPainting";
import { vertexItem } from "../../core/graphs/view/scopeItems";
import type { GraphOptions } from "../../core/graphs/view/graphOptions";
import { t } from "../../i18n/i18n.svelte";
import { visibleBox, type Frame } from "../../core/graphs/view/graphPicture";
import type { ColorScale } from "./graphColors";
import type { DiffLook } from "./graphDiff";
import type { GraphStage } from "./graphStage.svelte";

/** A weight of the box has an alert. */
const WARNING = "⚠";

/** How the boxes and edges of a stage look at this moment. */
export function graphLook(
  stage: GraphStage,
  scale: ColorScale,
  options: GraphOptions,
  diff: DiffLook | null,
  { warned, firstBad }: { warned: ReadonlySet<number>; firstBad: number },
): GraphLook {
  const { tree, found, hits, picture } = stage;
  const bad = picture && firstBad >= 0 ? visibleBox(picture, firstBad) : null;
  const badItem = bad ? bad.frame.items.item[bad.box]! : -1;
  const shown = picture && stage.selected >= 0 ? visibleBox(picture, stage.selected) : null;
  return {
    label: (item) => `${diff?.sign(item) ?? ""}${stage.label(item)}`,
    rows: (item) => stage.rows(item, options),
    ports: (item) => stage.leafPorts(item, options),
    color: (item) => scale.of(item) ?? scale.of(stage.operationOf(item)),
    carries: ({ items }, edge) => {
      const { source, target, isControl, shape } = items.bundles;
      const crosses = source[edge]! >= items.item.length || target[edge]! >= items.item.length; // said outside of the scope
      return isControl[edge] || crosses ? "" : stage.carried(shape[edge]!);
    },
    isOperation: (item) => stage.operationOf(item) !== item,
    badge: (item) => {
      const first = item === badItem ? t("graph.first_bad") : "";
      const mark = [first, warned.has(item) ? WARNING : "", scale.mark?.(item) ?? ""].filter((part) => part !== "").join(" ");
      if (item >= tree.scopeCount) return mark;
      const below = found?.below[item] ?? 0;
      return `${mark} ${below > 0 ? `${below} ◆` : ""}`.trim();
    },
    selected: shown ? shown.frame.items.item[shown.box]! : -1,
    isHit: (item) => hits.has(item) || hits.has(stage.operationOf(item)),
    highlight: highlightOf(stage),
  };
}

/** Marked nodes, or the edges of the box under the pointer. */
function highlightOf({ marks, hovered }: GraphStage): GraphLook["highlight"] {
  if (marks) return { box: (item) => marks.below[item]! > 0, edge: ({ items }, edge) => marks.edges.get(items.scope)?.[edge] === 1 };
  if (hovered < 0) return null;
  const isEnd = ({ items }: Frame, vertex: number): boolean => vertexItem(items, vertex) === hovered;
  return {
    box: () => true,
    edge: (frame, edge) => isEnd(frame, frame.items.bundles.source[edge]!) || isEnd(frame, frame.items.bundles.target[edge]!),
  };
}
