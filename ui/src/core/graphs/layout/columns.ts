// SPDX-License-Identifier: Apache-2.0
import type { Blocks } from "./blocks";
import { ASPECT_RATIO, DRAWING, SPACING, type LayoutInput, type LayoutLimits } from "./layoutInput";
import type { Ranking } from "./ranks";

/** Edges between two columns beyond this number become stubs. */
const MOST_TRACKS = 8;
const LOWEST_COLUMN = 500;
/** A cut may move by this part of a column to where fewer edges cross it. */
const CUT_TOLERANCE = 0.2;

/** Closed size of each layer. */
export interface LayerSizes {
  width: Float64Array;
  height: Float64Array;
}

export function closedLayerSizes(input: LayoutInput, { layers, layerBlock }: Blocks): LayerSizes {
  const width = new Float64Array(layerBlock.length);
  const height = new Float64Array(layerBlock.length);
  for (let layer = 0; layer < layerBlock.length; layer++)
    for (let slot = layers.start[layer]!; slot < layers.start[layer + 1]!; slot++) {
      const vertex = layers.members[slot]!;
      width[layer]! += (vertex < input.boxes ? input.width[vertex]! : 0) + 2 * SPACING.boxMargin;
      height[layer] = Math.max(height[layer]!, vertex < input.boxes ? input.height[vertex]! : 0);
    }
  return { width, height };
}

/** Column of each layer, over all blocks. High blocks fold into columns side by side, cut where few edges cross. */
export function foldColumns(blocks: Blocks, ranking: Ranking, sizes: LayerSizes, limits: LayoutLimits): Int32Array {
  const isFirst = new Uint8Array(blocks.layerBlock.length);
  const crossings = crossingEdges(blocks, ranking);
  for (let start = 0; start < isFirst.length;) {
    let end = start + 1;
    while (end < isFirst.length && blocks.layerBlock[end] === blocks.layerBlock[start]) end++;
    isFirst[start] = 1;
    cutBlock(start, end, sizes, crossings, limits.foldHeight, isFirst);
    start = end;
  }
  let column = -1;
  return Int32Array.from(isFirst, (first) => (column += first));
}

/** Edges that pass the upper border of each layer. */
function crossingEdges({ layerOf, layerBlock }: Blocks, { drawing, upper, lower }: Ranking): Int32Array {
  const crossings = new Int32Array(layerBlock.length + 2);
  for (let edge = 0; edge < drawing.length; edge++)
    if (drawing[edge] === DRAWING.routed) {
      crossings[layerOf[upper[edge]!]! + 1]!++;
      crossings[layerOf[lower[edge]!]! + 1]!--;
    }
  for (let layer = 1; layer < crossings.length; layer++) crossings[layer]! += crossings[layer - 1]!;
  return crossings;
}

function cutBlock(start: number, end: number, sizes: LayerSizes, crossings: Int32Array, foldHeight: number, isFirst: Uint8Array): void {
  const tops = new Float64Array(end - start + 1);
  let width = 0;
  for (let layer = start; layer < end; layer++) {
    tops[layer - start + 1] = tops[layer - start]! + sizes.height[layer]! + SPACING.layerGap;
    width = Math.max(width, sizes.width[layer]! + SPACING.gutter);
  }
  const height = tops[end - start]!;
  const columns = Math.min(Math.round(Math.sqrt((ASPECT_RATIO * height) / width)), Math.floor(height / LOWEST_COLUMN));
  if (height < foldHeight || columns < 2) return;
  const columnHeight = height / columns;
  let after = start + 1;
  for (let column = 1; column < columns; column++) {
    const cut = bestCut(start, after, end, tops, crossings, columnHeight * column, columnHeight * CUT_TOLERANCE);
    if (cut >= end - 1) return;
    isFirst[cut] = 1;
    after = cut + 2;
  }
}

function bestCut(
  start: number,
  after: number,
  end: number,
  tops: Float64Array,
  crossings: Int32Array,
  want: number,
  tolerance: number,
): number {
  let best = end;
  let least = Infinity;
  for (let layer = after; layer < end; layer++) {
    const distance = Math.abs(tops[layer - start]! - want);
    if (distance > tolerance && best !== end) break;
    if (tops[layer - start]! < want - tolerance) continue;
    const cost = crossings[layer]! + distance / tolerance;
    if (cost >= least) continue;
    least = cost;
    best = layer;
  }
  return best;
}

/** Makes stubs of the edges that pass a whole column, and of those that find no track between two columns. */
export function stubColumnEdges({ layerOf }: Blocks, layerColumn: Int32Array, { drawing, upper, lower }: Ranking): void {
  const tracks = new Int32Array((layerColumn.at(-1) ?? 0) + 1);
  for (let edge = 0; edge < drawing.length; edge++) {
    if (drawing[edge] !== DRAWING.routed) continue;
    const column = layerColumn[layerOf[upper[edge]!]!]!;
    const distance = layerColumn[layerOf[lower[edge]!]!]! - column;
    if (distance > 1 || (distance === 1 && ++tracks[column]! > MOST_TRACKS)) drawing[edge] = DRAWING.stub;
  }
}
