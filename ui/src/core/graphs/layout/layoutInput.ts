// SPDX-License-Identifier: Apache-2.0
/** What to lay out inside of one scope. Vertices are the boxes in execution order, then the input ports, then the output ports. */
export interface LayoutInput {
  boxes: number;
  inPorts: number;
  outPorts: number;
  /** Sizes of the boxes while closed. */
  width: Float64Array;
  height: Float64Array;
  /** Bundled edges, by vertex. */
  source: Int32Array;
  target: Int32Array;
}

/** How a bundled edge is drawn. */
export const DRAWING = {
  /** As a line. */
  routed: 0,
  /** As a named stub at both ends, because the ends are far apart or one of them has very many neighbors. */
  stub: 1,
  /** As a loop beside its box. */
  loop: 2,
  /** Not at all: the scope has too many children. */
  hidden: 3,
} as const;

export interface LayoutLimits {
  /** From this number of boxes on, the scope is a grid in execution order without edges. */
  gridFrom: number;
  /** More bundled edges than this on one side of a box become stubs. */
  fanLimit: number;
  /** Edges over more ranks than this become stubs. */
  spanLimit: number;
  /** Columns start when a block is higher than this. */
  foldHeight: number;
}

export const DEFAULT_LIMITS: LayoutLimits = { gridFrom: 3000, fanLimit: 16, spanLimit: 40, foldHeight: 1400 };

/** Free space: around boxes and lines in a layer, between layers, at the edges of an open scope. */
export const SPACING = {
  boxMargin: 10,
  portMargin: 8,
  dummyMargin: 5,
  layerGap: 24,
  widestLayerGap: 72,
  blockGap: 28,
  gutter: 28,
  track: 7,
  padding: 16,
  header: 28,
  loop: 8,
  stub: 9,
} as const;

export const ASPECT_RATIO = 1.6;

export const vertexCount = (input: LayoutInput): number => input.boxes + input.inPorts + input.outPorts;
