// SPDX-License-Identifier: Apache-2.0
import { sizeOf } from "../arrays/groups";
import type { Layering } from "./layering";
import { SPACING, type LayoutInput } from "./layoutInput";
import { placeBlocks, type BlockPlaces, type ShelfPlan } from "./shelves";

/** How much the gap between two layers grows with the sideways distance of the edges in it. */
const SLOPE = 0.06;
const PORT_WIDTH = 8;

/** Where layers and columns lie in the open scope. */
export interface LayerPlaces {
  top: Float64Array;
  height: Float64Array;
  columnLeft: Float64Array;
  columnWidth: Float64Array;
  /** Size of all blocks. */
  width: number;
  bottom: number;
}

/** Heights of the layers, then the places of columns and blocks. `x` is the center of each vertex in its column. */
export function placeLayers(
  input: LayoutInput,
  layering: Layering,
  plan: ShelfPlan,
  x: Float64Array,
  width: Float64Array,
  height: Float64Array,
): LayerPlaces {
  const { layers, layerColumn, columnBlock } = layering;
  const layerHeight = layerHeights(input, layering, height);
  const top = new Float64Array(layerColumn.length);
  const columnHeight = new Float64Array(columnBlock.length);
  const columnWidth = columnWidths(input, layering, x, width);
  for (let layer = 0; layer < layerColumn.length; layer++) {
    const column = layerColumn[layer]!;
    const isFirst = layer === 0 || layerColumn[layer - 1] !== column;
    top[layer] = isFirst ? 0 : columnHeight[column]! + (sizeOf(layers, layer) > 0 ? gapAbove(layering, layer, x) : 0);
    columnHeight[column] = top[layer]! + layerHeight[layer]!;
  }
  const columnOffset = new Float64Array(columnBlock.length);
  const size = blockSizes(layering, columnWidth, columnHeight, columnOffset);
  return moveToBlocks(layering, placeBlocks(plan, size), { top, height: layerHeight, columnOffset, columnWidth });
}

function moveToBlocks(
  { layerColumn, columnBlock }: Layering,
  blocks: BlockPlaces,
  {
    top,
    height,
    columnOffset,
    columnWidth,
  }: { top: Float64Array; height: Float64Array; columnOffset: Float64Array; columnWidth: Float64Array },
): LayerPlaces {
  return {
    top: top.map((value, layer) => SPACING.header + blocks.y[columnBlock[layerColumn[layer]!]!]! + value),
    height,
    columnLeft: columnOffset.map((value, column) => SPACING.padding + blocks.x[columnBlock[column]!]! + value),
    columnWidth,
    width: blocks.width + 2 * SPACING.padding,
    bottom: SPACING.header + blocks.height,
  };
}

function layerHeights(input: LayoutInput, { layers, layerColumn, vertices }: Layering, height: Float64Array): Float64Array {
  const ports = input.boxes + input.inPorts + input.outPorts;
  const result = new Float64Array(layerColumn.length);
  for (let layer = 0; layer < layerColumn.length; layer++) {
    let dummies = 0;
    for (let slot = layers.start[layer]!; slot < layers.start[layer + 1]!; slot++) {
      const vertex = layers.members[slot]!;
      if (vertex < input.boxes) result[layer] = Math.max(result[layer]!, height[vertex]!);
      if (vertex >= ports && vertex < vertices) dummies++;
    }
    if (dummies === sizeOf(layers, layer)) result[layer] = dummies * SPACING.track;
  }
  return result;
}

function columnWidths(
  input: LayoutInput,
  { layers, layerColumn, columnBlock }: Layering,
  x: Float64Array,
  width: Float64Array,
): Float64Array {
  const columnWidth = new Float64Array(columnBlock.length);
  for (let layer = 0; layer < layerColumn.length; layer++)
    for (let slot = layers.start[layer]!; slot < layers.start[layer + 1]!; slot++) {
      const vertex = layers.members[slot]!;
      const half = vertex < input.boxes ? width[vertex]! / 2 + SPACING.boxMargin : PORT_WIDTH;
      columnWidth[layerColumn[layer]!] = Math.max(columnWidth[layerColumn[layer]!]!, x[vertex]! + half);
    }
  return columnWidth;
}

function gapAbove({ layers, up, chain }: Layering, layer: number, x: Float64Array): number {
  let farthest = 0;
  for (let slot = layers.start[layer]!; slot < layers.start[layer + 1]!; slot++) {
    const vertex = layers.members[slot]!;
    for (let link = up.start[vertex]!; link < up.start[vertex + 1]!; link++)
      farthest = Math.max(farthest, Math.abs(x[vertex]! - x[chain[up.members[link]!]!]!));
  }
  return Math.min(SPACING.layerGap + farthest * SLOPE, SPACING.widestLayerGap);
}

/** Sizes of the blocks; writes where each column starts in its block. */
function blockSizes(
  { layers, layerColumn, columnBlock, blockCount }: Layering,
  columnWidth: Float64Array,
  columnHeight: Float64Array,
  columnOffset: Float64Array,
): { width: Float64Array; height: Float64Array } {
  const size = { width: new Float64Array(blockCount), height: new Float64Array(blockCount) };
  const tracks = new Int32Array(columnBlock.length);
  for (let layer = 0; layer < layerColumn.length; layer++) tracks[layerColumn[layer]!] = sizeOf(layers, layer);
  for (let column = 0; column < columnBlock.length; column++) {
    const block = columnBlock[column]!;
    if (columnBlock[column - 1] === block) size.width[block]! += gutterWidth(tracks[column - 1]!);
    columnOffset[column] = size.width[block]!;
    size.width[block]! += columnWidth[column]!;
    size.height[block] = Math.max(size.height[block]!, columnHeight[column]!);
  }
  return size;
}

const gutterWidth = (tracks: number): number => SPACING.gutter + tracks * SPACING.track;
