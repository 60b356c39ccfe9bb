// SPDX-License-Identifier: Apache-2.0
import { groupBy, type Groups } from "../arrays/groups";
import { IntList } from "../arrays/intList";
import { buildBlocks, type Blocks } from "./blocks";
import { closedLayerSizes, foldColumns, stubColumnEdges, type LayerSizes } from "./columns";
import { DRAWING, vertexCount, type LayoutInput, type LayoutLimits } from "./layoutInput";
import { rankVertices, type Ranking } from "./ranks";

/**
 * Vertices in layers. A long edge is a chain of dummies, one in each layer that it passes. A block that folds into columns has an
 * empty layer at the end of each column but the last and at the start of each but the first, where edges leave and enter.
 */
export interface Layering {
  /** Vertices with dummies. */
  vertices: number;
  layerOf: Int32Array;
  /** The members of a layer, from left to right once they are ordered. */
  layers: Groups;
  layerColumn: Int32Array;
  columnBlock: Int32Array;
  blockCount: number;
  drawing: Uint8Array;
  isReversed: Uint8Array;
  /** Vertices of a routed edge from its upper to its lower end: `chain[chainStart[edge]]` to `chain[chainStart[edge + 1] - 1]`. */
  chainStart: Int32Array;
  chain: Int32Array;
  /** Slots of `chain` by vertex: the next vertex is below the vertex at a slot of `down`; a slot of `up` holds the vertex above. */
  down: Groups;
  up: Groups;
  /** Closed size of each layer. */
  closed: LayerSizes;
}

export function buildLayering(input: LayoutInput, limits: LayoutLimits): Layering {
  const ranking = rankVertices(input, limits);
  const blocks = buildBlocks(input, ranking);
  const sizes = closedLayerSizes(input, blocks);
  const columns = foldColumns(blocks, ranking, sizes, limits);
  stubColumnEdges(blocks, columns, ranking);
  const unfolded = withFoldLayers(blocks, columns, sizes);
  const layerOf = blocks.layerOf.map((layer) => unfolded.layer[layer]!);
  const chains = buildChains(vertexCount(input), ranking, layerOf);
  return {
    ...chains,
    layers: groupBy(chains.layerOf, unfolded.layerColumn.length),
    layerColumn: unfolded.layerColumn,
    columnBlock: unfolded.columnBlock,
    blockCount: blocks.count,
    drawing: ranking.drawing,
    isReversed: ranking.isReversed,
    closed: unfolded.closed,
    ...chainLinks(chains),
  };
}

interface FoldLayers {
  /** New number of each layer. */
  layer: Int32Array;
  layerColumn: Int32Array;
  columnBlock: Int32Array;
  closed: LayerSizes;
}

function withFoldLayers({ layerBlock }: Blocks, columns: Int32Array, sizes: LayerSizes): FoldLayers {
  const layer = new Int32Array(columns.length);
  const layerColumn = new IntList();
  const columnBlock = new IntList();
  const isFold = (index: number): boolean => layerBlock[index] === layerBlock[index - 1] && columns[index] !== columns[index - 1];
  for (let index = 0; index < columns.length; index++) {
    if (index === 0 || columns[index] !== columns[index - 1]) columnBlock.push(layerBlock[index]!);
    if (isFold(index)) {
      layerColumn.push(columns[index - 1]!);
      layerColumn.push(columns[index]!);
    }
    layer[index] = layerColumn.length;
    layerColumn.push(columns[index]!);
  }
  const closed = { width: new Float64Array(layerColumn.length), height: new Float64Array(layerColumn.length) };
  for (let index = 0; index < columns.length; index++) {
    closed.width[layer[index]!] = sizes.width[index]!;
    closed.height[layer[index]!] = sizes.height[index]!;
  }
  return { layer, layerColumn: layerColumn.toArray(), columnBlock: columnBlock.toArray(), closed };
}

type Chains = Pick<Layering, "vertices" | "layerOf" | "chainStart" | "chain">;

function buildChains(vertices: number, { drawing, upper, lower }: Ranking, layerOf: Int32Array): Chains {
  const chainStart = new Int32Array(drawing.length + 1);
  const chain = new IntList();
  const dummyLayers = new IntList();
  for (let edge = 0; edge < drawing.length; edge++) {
    if (drawing[edge] === DRAWING.routed) {
      chain.push(upper[edge]!);
      for (let layer = layerOf[upper[edge]!]! + 1; layer < layerOf[lower[edge]!]!; layer++) {
        chain.push(vertices + dummyLayers.length);
        dummyLayers.push(layer);
      }
      chain.push(lower[edge]!);
    }
    chainStart[edge + 1] = chain.length;
  }
  const all = new Int32Array(vertices + dummyLayers.length);
  all.set(layerOf);
  all.set(dummyLayers.toArray(), vertices);
  return { vertices: all.length, layerOf: all, chainStart, chain: chain.toArray() };
}

function chainLinks({ vertices, chainStart, chain }: Chains): Pick<Layering, "down" | "up"> {
  const isLast = new Uint8Array(chain.length);
  for (let edge = 1; edge < chainStart.length; edge++) if (chainStart[edge]! > chainStart[edge - 1]!) isLast[chainStart[edge]! - 1] = 1;
  return {
    down: groupBy(
      chain.map((vertex, slot) => (isLast[slot] ? -1 : vertex)),
      vertices,
    ),
    up: groupBy(
      chain.map((_, slot) => (isLast[slot] ? -1 : chain[slot + 1]!)),
      vertices,
    ),
  };
}
