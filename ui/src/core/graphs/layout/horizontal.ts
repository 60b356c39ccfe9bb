// SPDX-License-Identifier: Apache-2.0
import { importances } from "./importance";
import type { Layering } from "./layering";
import { SPACING, type LayoutInput } from "./layoutInput";

const SWEEPS = 7;
const PORT_WIDTH = 8;
/** How much a link pulls its ends together: lines through dummies become straight (Gansner 1993). */
const WEIGHTS = [2, 1, 4] as const;
const WEAK = 0.001;

/** Half of the width that each vertex takes, with its margin. */
function halfWidths(input: LayoutInput, width: Float64Array, vertices: number): Float64Array {
  const half = new Float64Array(vertices).fill(SPACING.dummyMargin);
  for (let box = 0; box < input.boxes; box++) half[box] = width[box]! / 2 + SPACING.boxMargin;
  return half.fill(PORT_WIDTH / 2 + SPACING.portMargin, input.boxes, input.boxes + input.inPorts + input.outPorts);
}

/** Centers of all vertices, each column on its own: near the neighbors above and below, in the order of the layer, without overlap. */
export function placeHorizontally(input: LayoutInput, layering: Layering, width: Float64Array): Float64Array {
  const { layers, layerColumn, vertices } = layering;
  const half = halfWidths(input, width, vertices);
  const x = new Float64Array(vertices);
  const packer = new LayerPacker(layering, half, x, input.boxes + input.inPorts + input.outPorts, importances(layering, input.boxes));
  for (let layer = 0; layer < layerColumn.length; layer++) packer.centerLayer(layer);
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (let step = 0; step < layerColumn.length; step++) {
      const isDown = sweep % 2 === 0;
      packer.packLayer(isDown ? step : layerColumn.length - 1 - step, isDown || sweep > 3, !isDown || sweep > 3);
    }
  straighten(layering, half, x);
  startAtZero(layers, layerColumn, half, x);
  return x;
}

/** Moves the members of a layer next to their neighbors: the least squares solution that keeps order and distances. */
class LayerPacker {
  private readonly pools: { value: Float64Array; weight: Float64Array; size: Int32Array };

  constructor(
    private readonly layering: Layering,
    private readonly half: Float64Array,
    private readonly x: Float64Array,
    private readonly firstDummy: number,
    private readonly importance: Float64Array,
  ) {
    let widest = 0;
    const { start } = layering.layers;
    for (let layer = 0; layer + 1 < start.length; layer++) widest = Math.max(widest, start[layer + 1]! - start[layer]!);
    this.pools = { value: new Float64Array(widest), weight: new Float64Array(widest), size: new Int32Array(widest) };
  }

  centerLayer(layer: number): void {
    const { start, members } = this.layering.layers;
    let right = 0;
    for (let slot = start[layer]!; slot < start[layer + 1]!; slot++) {
      const vertex = members[slot]!;
      this.x[vertex] = right + this.half[vertex]!;
      right += 2 * this.half[vertex]!;
    }
    for (let slot = start[layer]!; slot < start[layer + 1]!; slot++) this.x[members[slot]!]! -= right / 2;
  }

  packLayer(layer: number, withAbove: boolean, withBelow: boolean): void {
    const { layers, layerColumn } = this.layering;
    const isAbove = withAbove && layerColumn[layer - 1] === layerColumn[layer];
    const isBelow = withBelow && layerColumn[layer + 1] === layerColumn[layer];
    if (!isAbove && !isBelow) return;
    const { value, weight, size } = this.pools;
    let pool = -1;
    let offset = 0;
    for (let slot = layers.start[layer]!; slot < layers.start[layer + 1]!; slot++) {
      const vertex = layers.members[slot]!;
      offset += slot > layers.start[layer]! ? this.half[layers.members[slot - 1]!]! + this.half[vertex]! : 0;
      const pull = this.pull(vertex, isAbove, isBelow);
      pool++;
      value[pool] = pull.x - offset;
      weight[pool] = pull.weight;
      size[pool] = 1;
      while (pool > 0 && value[pool - 1]! >= value[pool]!) pool = this.joinPools(pool);
    }
    this.readPools(layer);
  }

  private joinPools(pool: number): number {
    const { value, weight, size } = this.pools;
    const sum = weight[pool - 1]! + weight[pool]!;
    value[pool - 1] = (value[pool - 1]! * weight[pool - 1]! + value[pool]! * weight[pool]!) / sum;
    weight[pool - 1] = sum;
    size[pool - 1]! += size[pool]!;
    return pool - 1;
  }

  private readPools(layer: number): void {
    const { layers } = this.layering;
    let pool = 0;
    let left = this.pools.size[0]!;
    let offset = 0;
    for (let slot = layers.start[layer]!; slot < layers.start[layer + 1]!; slot++) {
      const vertex = layers.members[slot]!;
      if (left-- === 0) left = this.pools.size[++pool]! - 1;
      offset += slot > layers.start[layer]! ? this.half[layers.members[slot - 1]!]! + this.half[vertex]! : 0;
      this.x[vertex] = this.pools.value[pool]! + offset;
    }
  }

  private pull(vertex: number, withAbove: boolean, withBelow: boolean): { x: number; weight: number } {
    let sum = this.x[vertex]! * WEAK;
    let weight: number = WEAK;
    const { up, down, chain } = this.layering;
    const add = (neighbor: number): void => {
      const dummies = (vertex >= this.firstDummy ? 1 : 0) + (neighbor >= this.firstDummy ? 1 : 0);
      const strength = WEIGHTS[dummies]! * this.importance[vertex]! * this.importance[neighbor]!;
      sum += this.x[neighbor]! * strength;
      weight += strength;
    };
    if (withAbove) for (let link = up.start[vertex]!; link < up.start[vertex + 1]!; link++) add(chain[up.members[link]!]!);
    if (withBelow) for (let link = down.start[vertex]!; link < down.start[vertex + 1]!; link++) add(chain[down.members[link]! + 1]!);
    return { x: sum / weight, weight };
  }
}

/** Puts the dummies of an edge on as few vertical lines as the layers leave room for. */
function straighten(layering: Layering, half: Float64Array, x: Float64Array): void {
  const { chainStart, chain, layerColumn, layerOf, layers } = layering;
  const slotOf = new Int32Array(layering.vertices);
  for (let slot = 0; slot < layers.members.length; slot++) slotOf[layers.members[slot]!] = slot;
  for (let edge = 0; edge + 1 < chainStart.length; edge++) {
    const line = { from: chainStart[edge]! + 1, lowest: -Infinity, highest: Infinity };
    for (let index = line.from; index < chainStart[edge + 1]! - 1; index++) {
      const room = roomOf(layering, slotOf, half, x, chain[index]!);
      const isSameColumn = layerColumn[layerOf[chain[index]!]!] === layerColumn[layerOf[chain[line.from]!]!];
      if (!isSameColumn || room.lowest > line.highest || room.highest < line.lowest) {
        drawLine(chain, x, line, index);
        Object.assign(line, { from: index, lowest: -Infinity, highest: Infinity });
      }
      line.lowest = Math.max(line.lowest, room.lowest);
      line.highest = Math.min(line.highest, room.highest);
    }
    drawLine(chain, x, line, chainStart[edge + 1]! - 1);
  }
}

/** Where a vertex may lie between its neighbors in the layer. */
function roomOf(
  { layers, layerOf }: Layering,
  slotOf: Int32Array,
  half: Float64Array,
  x: Float64Array,
  vertex: number,
): { lowest: number; highest: number } {
  const slot = slotOf[vertex]!;
  const layer = layerOf[vertex]!;
  const left = layers.members[slot - 1]!;
  const right = layers.members[slot + 1]!;
  return {
    lowest: slot > layers.start[layer]! ? x[left]! + half[left]! + half[vertex]! : -Infinity,
    highest: slot + 1 < layers.start[layer + 1]! ? x[right]! - half[right]! - half[vertex]! : Infinity,
  };
}

function drawLine(chain: Int32Array, x: Float64Array, line: { from: number; lowest: number; highest: number }, to: number): void {
  let sum = 0;
  for (let index = line.from; index < to; index++) sum += x[chain[index]!]!;
  const center = Math.max(Math.min(sum / (to - line.from), line.highest), line.lowest);
  for (let index = line.from; index < to; index++) x[chain[index]!] = center;
}

/** Moves each column so that its leftmost vertex starts at 0. */
function startAtZero(layers: Layering["layers"], layerColumn: Int32Array, half: Float64Array, x: Float64Array): void {
  const left = new Float64Array((layerColumn.at(-1) ?? -1) + 1).fill(Infinity);
  const each = (visit: (vertex: number, column: number) => void): void => {
    for (let layer = 0; layer < layerColumn.length; layer++)
      for (let slot = layers.start[layer]!; slot < layers.start[layer + 1]!; slot++) visit(layers.members[slot]!, layerColumn[layer]!);
  };
  each((vertex, column) => (left[column] = Math.min(left[column]!, x[vertex]! - half[vertex]!)));
  each((vertex, column) => (x[vertex]! -= left[column]!));
}
