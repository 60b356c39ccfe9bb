// SPDX-License-Identifier: Apache-2.0
import { spreadLinks, type Attachments } from "./attachments";
import { placeHorizontally } from "./horizontal";
import { buildLayering, type Layering } from "./layering";
import { DEFAULT_LIMITS, SPACING, vertexCount, type LayoutInput, type LayoutLimits } from "./layoutInput";
import { orderLayers } from "./ordering";
import { RouteWriter, type BoxPlaces, type Routes } from "./routes";
import { planShelves, type ShelfPlan } from "./shelves";
import { placeLayers, type LayerPlaces } from "./vertical";

/** Order and grouping of a scope's boxes. It depends on closed sizes only, so that it does not change when a box opens. */
export interface Skeleton {
  input: LayoutInput;
  layering: Layering;
  plan: ShelfPlan;
}

/** Places of the boxes, ports and edges of an open scope, from its upper left corner. */
export interface ScopeLayout {
  width: number;
  height: number;
  boxes: BoxPlaces;
  /** Input ports are on the upper border, output ports on the lower. */
  portX: Float64Array;
  /** How each edge is drawn, see DRAWING. */
  drawing: Uint8Array;
  /** Edges that close a cycle and lead up. */
  isReversed: Uint8Array;
  routes: Routes;
}

export function buildSkeleton(input: LayoutInput, limits: LayoutLimits = DEFAULT_LIMITS): Skeleton {
  const layering = buildLayering(input, limits);
  orderLayers(layering, seeds(input, layering));
  return { input, layering, plan: planShelves(input, layering) };
}

/** First order in a layer: boxes in execution order, ports and dummies with the box that they belong to. */
function seeds(input: LayoutInput, { vertices, chainStart, chain }: Layering): Float64Array {
  const seed = Float64Array.from({ length: vertices }, (_, vertex) => vertex);
  for (let edge = 0; edge + 1 < chainStart.length; edge++)
    for (let slot = chainStart[edge]! + 1; slot < chainStart[edge + 1]! - 1; slot++) seed[chain[slot]!] = input.target[edge]!;
  return seed;
}

/** Lays out a scope in the order of its skeleton. `width` and `height` are the sizes of its boxes, closed or open. */
export function placeScope(
  skeleton: Skeleton,
  width: Float64Array,
  height: Float64Array,
  attachments: Attachments | null = null,
  leastWidth = 0,
): ScopeLayout {
  const { input, layering, plan } = skeleton;
  const x = placeHorizontally(input, layering, width);
  const layers = placeLayers(input, layering, plan, x, width, height);
  for (let vertex = 0; vertex < x.length; vertex++) x[vertex]! += layers.columnLeft[layering.layerColumn[layering.layerOf[vertex]!]!]!;
  const boxes = boxPlaces(input, layering, layers, x, width, height);
  const size = { height: layers.bottom + SPACING.padding, portX: x.slice(input.boxes, vertexCount(input)) };
  const ends = spreadLinks(input, layering, x, width, attachments);
  return {
    width: Math.max(layers.width, leastWidth),
    height: size.height,
    boxes,
    portX: size.portX,
    drawing: layering.drawing,
    isReversed: layering.isReversed,
    routes: new RouteWriter(input, layering, layers, boxes, ends, size, attachments).write(),
  };
}

function boxPlaces(
  { boxes }: LayoutInput,
  { layerOf }: Layering,
  { top }: LayerPlaces,
  x: Float64Array,
  width: Float64Array,
  height: Float64Array,
): BoxPlaces {
  const places = { x: new Float64Array(boxes), y: new Float64Array(boxes), width, height };
  for (let box = 0; box < boxes; box++) {
    places.x[box] = x[box]! - width[box]! / 2;
    places.y[box] = top[layerOf[box]!]!;
  }
  return places;
}
