// SPDX-License-Identifier: Apache-2.0
import { sizeOf } from "../arrays/groups";
import type { Layering } from "./layering";
import { ASPECT_RATIO, SPACING, type LayoutInput } from "./layoutInput";

/**
 * Blocks in rows, called shelves. The plan follows the closed sizes: a block keeps its shelf and its place in it when a box opens.
 * Blocks of one box are cells: they follow the other blocks, in columns of equal width.
 */
export interface ShelfPlan {
  /** Blocks in the order of the shelves, without the block of the ports. */
  order: Int32Array;
  shelfOf: Int32Array;
  isCell: Uint8Array;
  cellWidth: number;
  /** The block of the ports has boxes and is left of the shelves. */
  isBeside: boolean;
}

interface BlockSizes {
  width: Float64Array;
  height: Float64Array;
}

export function planShelves(input: LayoutInput, layering: Layering): ShelfPlan {
  const closed = closedBlockSizes(layering);
  const boxes = boxesPerBlock(input, layering);
  const firstBlock = input.inPorts + input.outPorts > 0 ? 1 : 0;
  const isCell = Uint8Array.from(boxes, (count, block) => (block >= firstBlock && count === 1 ? 1 : 0));
  const blocks = Array.from({ length: layering.blockCount - firstBlock }, (_, index) => firstBlock + index);
  const order = Int32Array.from([...blocks.filter((block) => !isCell[block]), ...blocks.filter((block) => isCell[block])]);
  const cellWidth = order.reduce((widest, block) => (isCell[block] ? Math.max(widest, closed.width[block]!) : widest), 0);
  const isBeside = firstBlock === 1 && boxes[0]! > 0;
  const room = shelfRoom(order, closed, isBeside ? closed.height[0]! : 0);
  return { order, shelfOf: fillShelves(order, isCell, closed, cellWidth, room), isCell, cellWidth, isBeside };
}

function boxesPerBlock(input: LayoutInput, { layerOf, layerColumn, columnBlock, blockCount }: Layering): Int32Array {
  const boxes = new Int32Array(blockCount);
  for (let box = 0; box < input.boxes; box++) boxes[columnBlock[layerColumn[layerOf[box]!]!]!]!++;
  return boxes;
}

function closedBlockSizes({ closed, layerColumn, columnBlock, blockCount, layers }: Layering): BlockSizes {
  const columnWidth = new Float64Array(columnBlock.length);
  const columnHeight = new Float64Array(columnBlock.length);
  for (let layer = 0; layer < layerColumn.length; layer++) {
    const column = layerColumn[layer]!;
    columnWidth[column] = Math.max(columnWidth[column]!, closed.width[layer]!);
    columnHeight[column]! += closed.height[layer]! + (sizeOf(layers, layer) > 0 ? SPACING.layerGap : 0);
  }
  const size = { width: new Float64Array(blockCount), height: new Float64Array(blockCount) };
  for (let column = 0; column < columnBlock.length; column++) {
    const block = columnBlock[column]!;
    size.width[block]! += columnWidth[column]! + (columnBlock[column - 1] === block ? 2 * SPACING.gutter : 0);
    size.height[block] = Math.max(size.height[block]!, columnHeight[column]!);
  }
  return size;
}

/** Width of the shelves that makes a picture of good proportions, beside a block of a given height. */
function shelfRoom(order: Int32Array, { width, height }: BlockSizes, besideHeight: number): number {
  let area = 0;
  let widest = 0;
  for (const block of order) {
    area += (width[block]! + SPACING.blockGap) * (height[block]! + SPACING.blockGap);
    widest = Math.max(widest, width[block]!);
  }
  return Math.max(widest, Math.min(Math.sqrt(area * ASPECT_RATIO), area / Math.max(besideHeight, 1)));
}

function fillShelves(order: Int32Array, isCell: Uint8Array, { width }: BlockSizes, cellWidth: number, room: number): Int32Array {
  const shelfOf = new Int32Array(isCell.length);
  let shelf = 0;
  let right = 0;
  for (let index = 0; index < order.length; index++) {
    const block = order[index]!;
    const taken = isCell[block] ? cellWidth : width[block]! + SPACING.blockGap;
    const isFirstCell = isCell[block] === 1 && index > 0 && !isCell[order[index - 1]!];
    if (right > 0 && (right + taken > room + SPACING.blockGap || isFirstCell)) {
      shelf++;
      right = 0;
    }
    shelfOf[block] = shelf;
    right += taken;
  }
  return shelfOf;
}

/** Corners of the blocks, and the size of all. */
export interface BlockPlaces {
  x: Float64Array;
  y: Float64Array;
  width: number;
  height: number;
}

export function placeBlocks(plan: ShelfPlan, size: BlockSizes): BlockPlaces {
  const places = { x: new Float64Array(size.width.length), y: new Float64Array(size.width.length), width: 0, height: 0 };
  if (plan.order.length < size.width.length) places.width = size.width[0] ?? 0;
  if (plan.order.length < size.width.length) places.height = size.height[0] ?? 0;
  const left = plan.isBeside ? size.width[0]! + SPACING.blockGap : 0;
  let right = left;
  let top = 0;
  let bottom = 0;
  for (let index = 0; index < plan.order.length; index++) {
    const block = plan.order[index]!;
    if (index > 0 && plan.shelfOf[block] !== plan.shelfOf[plan.order[index - 1]!]) {
      top = bottom;
      right = left;
    }
    places.x[block] = right;
    places.y[block] = top;
    right += plan.isCell[block] ? Math.max(plan.cellWidth, size.width[block]!) : size.width[block]! + SPACING.blockGap;
    bottom = Math.max(bottom, top + size.height[block]! + (plan.isCell[block] ? SPACING.boxMargin : SPACING.blockGap));
    places.width = Math.max(places.width, right);
    places.height = Math.max(places.height, top + size.height[block]!);
  }
  return places;
}
