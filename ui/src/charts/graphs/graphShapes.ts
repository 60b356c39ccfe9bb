// SPDX-License-Identifier: Apache-2.0
import { layerBoxes, type Flow } from "../../core/layout/graphLayout";
import type { Size } from "../frame/plotFrame";

export interface ScopeBox {
  name: string;
  nodes: number;
}

/** A placed scope in pixels; the label is its name, cut to fit. */
export interface PlacedBox extends ScopeBox {
  x: number;
  y: number;
  width: number;
  height: number;
  label: string;
}

export interface PlacedFlow {
  path: string;
  width: number;
}

const HIGHEST = 22;
const GAP = { across: 8, down: 5 };
const EDGE = 10;
const MOST_PITCH = 52;
const TEXT_HEIGHT = 12;
const LETTER = 6.2;

/** The outermost scopes of a graph, each below those that it takes values from, with curves between them. */
export function graphShapes(
  boxes: readonly ScopeBox[],
  flows: readonly (Flow & { tensors: number })[],
  { width, height }: Size,
): { boxes: PlacedBox[]; flows: PlacedFlow[] } {
  const places = layerBoxes(boxes.length, flows);
  const rows = Math.max(1, ...places.map(({ row }) => row + 1));
  // With many rows the boxes become lower and show their name only in the tooltip.
  const pitch = Math.min(MOST_PITCH, (height - 2 * EDGE) / rows);
  const high = Math.max(3, Math.min(HIGHEST, pitch - GAP.down));
  const top = (height - pitch * (rows - 1) - high) / 2;
  const placed = boxes.map((box, index): PlacedBox => {
    const { row, column, columns } = places[index]!;
    const room = (width - 2 * EDGE) / columns;
    const size = Math.max(16, Math.min(room - GAP.across, 24 + LETTER * (box.name.length + String(box.nodes).length)));
    return {
      ...box,
      x: EDGE + room * (column + 0.5) - size / 2,
      y: top + row * pitch,
      width: size,
      height: high,
      label: high >= TEXT_HEIGHT ? clipped(box.name, size) : "",
    };
  });
  const forward = flows.filter(({ source, target }) => places[target]!.row > places[source]!.row);
  return {
    boxes: placed,
    flows: forward.map((flow) => ({
      path: curve(placed[flow.source]!, placed[flow.target]!),
      width: Math.min(3, 1 + Math.log10(flow.tensors)),
    })),
  };
}

function clipped(name: string, size: number): string {
  const letters = Math.floor((size - 12) / LETTER);
  return name.length <= letters ? name : letters < 2 ? "" : `${name.slice(0, letters - 1)}…`;
}

function curve(from: PlacedBox, to: PlacedBox): string {
  const [x1, x2] = [from.x + from.width / 2, to.x + to.width / 2];
  const [y1, y2] = [from.y + from.height, to.y];
  return `M${x1} ${y1}C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`;
}
