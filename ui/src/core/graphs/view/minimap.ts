// SPDX-License-Identifier: Apache-2.0
import { FloatList } from "../arrays/floatList";
import { IntList } from "../arrays/intList";
import type { Frame, GraphPicture } from "./graphPicture";

/** Boxes of an overview: left, top, width and height in turns, in pixels of the overview; outer boxes first. */
export interface Minimap {
  width: number;
  height: number;
  scale: number;
  boxes: Float64Array;
  depth: Int32Array;
}

const LEAST_BOX_PIXELS = 1.5;
const MOST_BOXES = 4000;

/** A picture scaled into a rectangle, without the boxes that are too small to see. */
export function minimap({ root }: GraphPicture, width: number, height: number): Minimap {
  const scale = Math.min(width / Math.max(root.layout.width, 1), height / Math.max(root.layout.height, 1));
  const boxes = new FloatList();
  const depth = new IntList();
  const queue: { frame: Frame; x: number; y: number; depth: number }[] = [{ frame: root, x: 0, y: 0, depth: 0 }];
  for (let index = 0; index < queue.length && depth.length < MOST_BOXES; index++) {
    const { frame, x, y, depth: level } = queue[index]!;
    const places = frame.layout.boxes;
    const smallest = LEAST_BOX_PIXELS / scale;
    for (let box = 0; box < places.x.length && depth.length < MOST_BOXES; box++) {
      if (places.width[box]! < smallest || places.height[box]! * 2 < smallest) continue;
      const [left, top] = [x + places.x[box]!, y + places.y[box]!];
      for (const value of [left, top, places.width[box]!, places.height[box]!]) boxes.push(value * scale);
      depth.push(level);
      const inner = frame.inner.get(box);
      if (inner) queue.push({ frame: inner, x: left, y: top, depth: level + 1 });
    }
  }
  return { width: root.layout.width * scale, height: root.layout.height * scale, scale, boxes: boxes.toArray(), depth: depth.toArray() };
}
