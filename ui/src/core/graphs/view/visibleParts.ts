// SPDX-License-Identifier: Apache-2.0
import { FloatList } from "../arrays/floatList";
import { IntList } from "../arrays/intList";
import type { Frame, GraphPicture } from "./graphPicture";

/** A rectangle of the picture, in its own units. */
export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Boxes and edges to paint, outer ones first. */
export interface VisibleParts {
  /** Frames with a visible part, with their corners in the picture. */
  frames: Frame[];
  originX: Float64Array;
  originY: Float64Array;
  /** Visible boxes: index of the frame, and box in it. */
  boxFrame: Int32Array;
  box: Int32Array;
  /** 1 when the inside of the box is among the frames. */
  isOpen: Uint8Array;
  /** Visible edges: index of the frame, and bundle in it. */
  edgeFrame: Int32Array;
  edge: Int32Array;
}

/** Frames that are narrower than this many pixels are painted as closed boxes. */
export const LEAST_FRAME_PIXELS = 24;

/** What an area shows at a scale of pixels per unit. Frames outside of the area, or too small, cost nothing. */
export function visibleParts(picture: GraphPicture, area: Area, scale: number): VisibleParts {
  const frames = [picture.root];
  const origins = { x: new FloatList(), y: new FloatList() };
  origins.x.push(0);
  origins.y.push(0);
  const lists = { boxFrame: new IntList(), box: new IntList(), isOpen: new IntList(), edgeFrame: new IntList(), edge: new IntList() };
  for (let index = 0; index < frames.length; index++) {
    const frame = frames[index]!;
    const [x, y] = [origins.x.at(index), origins.y.at(index)];
    const local = { left: area.left - x, top: area.top - y, right: area.right - x, bottom: area.bottom - y };
    const { boxes } = frame.layout;
    for (let box = 0; box < boxes.x.length; box++) {
      if (!isBoxIn(frame, box, local)) continue;
      const inner = boxes.width[box]! * scale >= LEAST_FRAME_PIXELS ? frame.inner.get(box) : undefined;
      lists.boxFrame.push(index);
      lists.box.push(box);
      lists.isOpen.push(inner ? 1 : 0);
      if (!inner) continue;
      frames.push(inner);
      origins.x.push(x + boxes.x[box]!);
      origins.y.push(y + boxes.y[box]!);
    }
    for (let edge = 0; edge < frame.layout.drawing.length; edge++)
      if (isEdgeIn(frame, edge, local)) {
        lists.edgeFrame.push(index);
        lists.edge.push(edge);
      }
  }
  return {
    frames,
    originX: origins.x.toArray(),
    originY: origins.y.toArray(),
    boxFrame: lists.boxFrame.toArray(),
    box: lists.box.toArray(),
    isOpen: Uint8Array.from(lists.isOpen.toArray()),
    edgeFrame: lists.edgeFrame.toArray(),
    edge: lists.edge.toArray(),
  };
}

function isBoxIn({ layout: { boxes } }: Frame, box: number, { left, top, right, bottom }: Area): boolean {
  const x = boxes.x[box]!;
  const y = boxes.y[box]!;
  return x <= right && y <= bottom && x + boxes.width[box]! >= left && y + boxes.height[box]! >= top;
}

/** Whether the extent of an edge meets the area; an edge without points is never visible. */
function isEdgeIn({ layout: { routes } }: Frame, edge: number, { left, top, right, bottom }: Area): boolean {
  let [least, most, highest, lowest] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let point = routes.start[edge]!; point < routes.start[edge + 1]!; point++) {
    least = Math.min(least, routes.points[2 * point]!);
    most = Math.max(most, routes.points[2 * point]!);
    highest = Math.min(highest, routes.points[2 * point + 1]!);
    lowest = Math.max(lowest, routes.points[2 * point + 1]!);
  }
  return least <= right && most >= left && highest <= bottom && lowest >= top;
}
