// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_LIMITS, type LayoutInput } from "../../core/graphs/layout/layoutInput";
import { buildSkeleton, placeScope, type ScopeLayout } from "../../core/graphs/layout/scopeLayout";
import { BOX, boxWidth, cutLabel } from "../../core/graphs/view/boxSize";
import { ONLY_CUT } from "../../core/text/cutMiddle";
import type { Size } from "../frame/plotFrame";

export interface ScopeBox {
  name: string;
  nodes: number;
}

/** Tensors from one box to another, by index. */
export interface ScopeFlow {
  source: number;
  target: number;
  tensors: number;
}

/** A placed scope in pixels; the label is its name, cut to fit. */
export interface PlacedBox extends ScopeBox {
  x: number;
  y: number;
  width: number;
  height: number;
  label: string;
  font: number;
}

export interface PlacedFlow {
  path: string;
  width: number;
}

const [FONT, LEAST_FONT, INSET] = [12, 7, 12];
/** In a low picture boxes take room from the gaps between them, for their names. */
const [THICKER, FONT_SHARE] = [1.5, 0.75];
/** In one column, or folded into several: what fills the picture better is taken. */
const FOLDS = [Infinity, 0];

/** The outermost scopes of a graph, laid out as on the page of the graph and scaled into a rectangle. */
export function graphShapes(
  boxes: readonly ScopeBox[],
  flows: readonly ScopeFlow[],
  size: Size,
): { boxes: PlacedBox[]; flows: PlacedFlow[] } {
  const input = layoutInput(boxes, flows);
  const layouts = FOLDS.map((foldHeight) => placeScope(buildSkeleton(input, { ...DEFAULT_LIMITS, foldHeight }), input.width, input.height));
  const scalesOf = ({ width, height }: ScopeLayout) => ({ x: Math.min(size.width / width, 1), y: Math.min(size.height / height, 1) });
  const readable = (layout: ScopeLayout): number => Math.min(...Object.values(scalesOf(layout)));
  const layout = layouts.reduce((best, next) => (readable(next) > readable(best) ? next : best));
  const scale = scalesOf(layout);
  const [left, top] = [(size.width - scale.x * layout.width) / 2, (size.height - scale.y * layout.height) / 2];
  const height = BOX.nodeHeight * Math.min(1, scale.y * THICKER);
  const font = Math.round(10 * Math.min(FONT, FONT_SHARE * height)) / 10;
  const placed = boxes.map((box, index): PlacedBox => {
    const width = scale.x * layout.boxes.width[index]!;
    const label = cutLabel(box.name, ((width - INSET) * FONT) / font);
    const middle = top + scale.y * (layout.boxes.y[index]! + layout.boxes.height[index]! / 2);
    return {
      ...box,
      x: left + scale.x * layout.boxes.x[index]!,
      y: Math.max(0, Math.min(size.height - height, middle - height / 2)),
      width,
      height,
      label: font >= LEAST_FONT && label !== ONLY_CUT ? label : "",
      font,
    };
  });
  const { start, points } = layout.routes;
  const lines = flows.map(({ tensors }, flow): PlacedFlow => {
    let path = "";
    for (let point = start[flow]!; point < start[flow + 1]!; point++)
      path += `${path === "" ? "M" : "L"}${(left + scale.x * points[2 * point]!).toFixed(1)} ${(top + scale.y * points[2 * point + 1]!).toFixed(1)}`;
    return { path, width: Math.min(3, 1 + Math.log10(tensors)) };
  });
  return { boxes: placed, flows: lines.filter(({ path }) => path !== "") };
}

function layoutInput(boxes: readonly ScopeBox[], flows: readonly ScopeFlow[]): LayoutInput {
  return {
    boxes: boxes.length,
    inPorts: 0,
    outPorts: 0,
    width: Float64Array.from(boxes, ({ name }) => boxWidth(name, false)),
    height: new Float64Array(boxes.length).fill(BOX.nodeHeight),
    source: Int32Array.from(flows, ({ source }) => source),
    target: Int32Array.from(flows, ({ target }) => target),
  };
}
