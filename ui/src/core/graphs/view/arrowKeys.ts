// SPDX-License-Identifier: Apache-2.0
import { visibleBox, type Frame, type GraphPicture } from "./graphPicture";
import { vertexItem } from "./scopeItems";

export type ArrowKey = "up" | "down" | "left" | "right";

/**
 * The item that an arrow key reaches. Up and down follow an edge against and along its direction, to the end that is nearest
 * sideways, over the border of a scope where the edge leads there; without an edge they take the nearest box. Left and right take
 * the next box in the same row.
 */
export function itemAt(picture: GraphPicture, item: number, key: ArrowKey): number {
  const found = visibleBox(picture, item);
  if (!found) return item;
  const { frame, box } = found;
  if (key === "left" || key === "right") return frame.items.item[sideways(frame, box, key === "left" ? -1 : 1)]!;
  const ends = edgeEnds(frame, box, key === "down");
  const nearest = nearestSideways(picture, frame, box, ends);
  return nearest ?? frame.items.item[vertically(frame, box, key === "down" ? 1 : -1)]!;
}

/** Items at the other ends of the edges of a box. */
function edgeEnds({ items }: Frame, box: number, isDown: boolean): number[] {
  const { source, target } = items.bundles;
  const ends: number[] = [];
  for (let bundle = 0; bundle < source.length; bundle++) {
    const [near, far] = isDown ? [source[bundle]!, target[bundle]!] : [target[bundle]!, source[bundle]!];
    if (near !== box || far === box) continue;
    const end = vertexItem(items, far);
    if (end >= 0) ends.push(end);
  }
  return ends;
}

function nearestSideways(picture: GraphPicture, frame: Frame, box: number, ends: number[]): number | undefined {
  const { boxes } = frame.layout;
  const center = boxes.x[box]! + boxes.width[box]! / 2;
  const distance = (end: number): number => {
    const found = visibleBox(picture, end);
    if (found?.frame !== frame) return Infinity;
    return Math.abs(boxes.x[found.box]! + boxes.width[found.box]! / 2 - center);
  };
  return ends.map((end) => ({ end, distance: distance(end) })).sort((a, b) => a.distance - b.distance)[0]?.end;
}

/** The next box to the left or right with the same top, or the box itself. */
function sideways({ layout: { boxes } }: Frame, box: number, direction: number): number {
  let best = box;
  let least = Infinity;
  for (let other = 0; other < boxes.x.length; other++) {
    const distance = (boxes.x[other]! - boxes.x[box]!) * direction;
    if (boxes.y[other] !== boxes.y[box] || distance <= 0 || distance >= least) continue;
    least = distance;
    best = other;
  }
  return best;
}

function vertically({ layout: { boxes } }: Frame, box: number, direction: number): number {
  let best = box;
  let least = Infinity;
  for (let other = 0; other < boxes.x.length; other++) {
    const down = (boxes.y[other]! - boxes.y[box]!) * direction;
    const distance = down + Math.abs(boxes.x[other]! - boxes.x[box]!);
    if (down <= 0 || distance >= least) continue;
    least = distance;
    best = other;
  }
  return best;
}
