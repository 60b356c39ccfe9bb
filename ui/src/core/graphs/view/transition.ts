// SPDX-License-Identifier: Apache-2.0
import { FloatList } from "../arrays/floatList";
import { IntList } from "../arrays/intList";
import { frameOrigin, visibleBox, type GraphPicture } from "./graphPicture";
import { visibleParts, type Area } from "./visibleParts";

/** Where a picture is on the screen: pixel = offset + scale * place. */
export interface Transform {
  x: number;
  y: number;
  scale: number;
}

export const visibleArea = ({ x, y, scale }: Transform, width: number, height: number): Area => ({
  left: -x / scale,
  top: -y / scale,
  right: (width - x) / scale,
  bottom: (height - y) / scale,
});

/** Corner of the box that shows an item or contains it. */
export function cornerOf(picture: GraphPicture, item: number): { x: number; y: number } {
  const found = visibleBox(picture, item);
  if (!found) return { x: 0, y: 0 };
  const origin = frameOrigin(picture, found.frame.scope);
  return { x: origin.x + found.frame.layout.boxes.x[found.box]!, y: origin.y + found.frame.layout.boxes.y[found.box]! };
}

/** The transform of the next picture that keeps the corner of an item at its pixel, with the same scale. */
export function keepInPlace(before: GraphPicture, after: GraphPicture, item: number, { x, y, scale }: Transform): Transform {
  const [from, to] = [cornerOf(before, item), cornerOf(after, item)];
  return { x: x + scale * (from.x - to.x), y: y + scale * (from.y - to.y), scale };
}

/**
 * Boxes that are on the screen before or after a change, with both places in pixels: left, top, width, height. A box that is new
 * comes out of the box that contained it, one that is gone shrinks into the box that contains it.
 */
export interface BoxMoves {
  item: Int32Array;
  from: Float64Array;
  to: Float64Array;
  /** 1 for a box that only one of the pictures has. */
  isNew: Uint8Array;
  isGone: Uint8Array;
}

interface Scene {
  picture: GraphPicture;
  transform: Transform;
  /** Visible boxes by item: left, top, width and height in pixels. */
  boxes: Map<number, readonly [number, number, number, number]>;
}

export function boxMoves(
  before: { picture: GraphPicture; transform: Transform },
  after: { picture: GraphPicture; transform: Transform },
  screen: { width: number; height: number },
): BoxMoves {
  const [old, next] = [before, after].map((side) => ({ ...side, boxes: boxesOnScreen(side, screen) })) as [Scene, Scene];
  const items = new IntList();
  const [from, to] = [new FloatList(), new FloatList()];
  const [isNew, isGone] = [new IntList(), new IntList()];
  for (const item of new Set([...old.boxes.keys(), ...next.boxes.keys()])) {
    const [was, will] = [placeIn(old, item), placeIn(next, item)];
    items.push(item);
    for (const value of was.place) from.push(value);
    for (const value of will.place) to.push(value);
    isNew.push(was.isItself ? 0 : 1);
    isGone.push(will.isItself ? 0 : 1);
  }
  return {
    item: items.toArray(),
    from: from.toArray(),
    to: to.toArray(),
    isNew: Uint8Array.from(isNew.toArray()),
    isGone: Uint8Array.from(isGone.toArray()),
  };
}

function boxesOnScreen(
  { picture, transform }: { picture: GraphPicture; transform: Transform },
  { width, height }: { width: number; height: number },
): Scene["boxes"] {
  const parts = visibleParts(picture, visibleArea(transform, width, height), transform.scale);
  const found: Scene["boxes"] = new Map();
  for (let index = 0; index < parts.box.length; index++) {
    const { items, layout } = parts.frames[parts.boxFrame[index]!]!;
    const box = parts.box[index]!;
    const x = parts.originX[parts.boxFrame[index]!]! + layout.boxes.x[box]!;
    const y = parts.originY[parts.boxFrame[index]!]! + layout.boxes.y[box]!;
    found.set(items.item[box]!, onScreen(transform, x, y, layout.boxes.width[box]!, layout.boxes.height[box]!));
  }
  return found;
}

const onScreen = ({ x, y, scale }: Transform, left: number, top: number, width: number, height: number) =>
  [x + scale * left, y + scale * top, scale * width, scale * height] as const;

/** The place of an item, which may be off the screen, or of the box that contains it. */
function placeIn({ picture, transform, boxes }: Scene, item: number): { place: readonly number[]; isItself: boolean } {
  const known = boxes.get(item);
  if (known) return { place: known, isItself: true };
  const found = visibleBox(picture, item);
  if (!found) return { place: onScreen(transform, 0, 0, 0, 0), isItself: false };
  const { frame, box } = found;
  const origin = frameOrigin(picture, frame.scope);
  const { x, y, width, height } = frame.layout.boxes;
  const place = onScreen(transform, origin.x + x[box]!, origin.y + y[box]!, width[box]!, height[box]!);
  return { place, isItself: frame.items.item[box] === item };
}
