// SPDX-License-Identifier: Apache-2.0
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments } from "three";

import { heightOf, scaleTicks, type LossScale } from "../../core/landscapes/lossScale";
import type { Range } from "../../core/scales/axis";
import { linearTicks } from "../../core/scales/ticks";
import { formatLogTick, formatTicks } from "../../core/text/format";

/** From the plane and heights to the space of the picture: the plane from -1 to 1, heights upwards from 0. */
export interface Box {
  across: (x: number) => number;
  away: (y: number) => number;
  /** Of a height from 0 to 1. */
  up: (height: number) => number;
  top: number;
}

const TALLEST = 0.9;
/** Below the lowest loss, so that the floor does not show through the surface. */
export const FLOOR = -0.06;

export function boxOf({ x, y }: { x: Range; y: Range }, exaggeration: number): Box {
  const place = ([low, high]: Range, value: number): number => (2 * (value - low)) / (high - low) - 1;
  const top = TALLEST * exaggeration;
  return { across: (value) => place(x, value), away: (value) => -place(y, value), up: (height) => top * height, top };
}

export interface BoxLabel {
  text: string;
  at: readonly [number, number, number];
  /** Outwards from the edge, where the text goes. */
  out: readonly [number, number, number];
  isTitle?: boolean;
}

/** Edges that are seen from a side, with ticks and their labels. */
export interface BoxLines {
  lines: Float32Array;
  labels: BoxLabel[];
}

/** Floor, the two walls at the back, and labels on the edges in front, as seen from an azimuth in degrees; about `count` ticks an edge. */
export function boxLines(
  box: Box,
  { x, y }: { x: Range; y: Range },
  scale: LossScale | null,
  azimuth: number,
  names: readonly [x: string, y: string, loss: string],
  count: number,
): BoxLines {
  const radians = (azimuth * Math.PI) / 180;
  const [nearX, nearZ] = [Math.cos(radians) >= 0 ? 1 : -1, -Math.sin(radians) >= 0 ? 1 : -1];
  const lines: number[] = [];
  const labels: BoxLabel[] = [];
  const line = (...ends: number[]): number => lines.push(...ends);
  for (const side of [-1, 1]) {
    line(-1, FLOOR, side, 1, FLOOR, side);
    line(side, FLOOR, -1, side, FLOOR, 1);
  }
  const [xTicks, yTicks] = [linearTicks(x, count), linearTicks(y, count)];
  formatTicks(xTicks).forEach((text, index) => {
    const at = box.across(xTicks[index]!);
    line(at, FLOOR, -nearZ, at, FLOOR, nearZ);
    labels.push({ text, at: [at, FLOOR, nearZ], out: [0, 0, nearZ] });
  });
  formatTicks(yTicks).forEach((text, index) => {
    const at = box.away(yTicks[index]!);
    line(-nearX, FLOOR, at, nearX, FLOOR, at);
    labels.push({ text, at: [nearX, FLOOR, at], out: [nearX, 0, 0] });
  });
  labels.push({ text: names[0], at: [0, FLOOR, nearZ], out: [0, 0, nearZ], isTitle: true });
  labels.push({ text: names[1], at: [nearX, FLOOR, 0], out: [nearX, 0, 0], isTitle: true });
  // the vertical edge that is leftmost on the screen
  const right = [-Math.sin(radians), -Math.cos(radians)] as const;
  const corners = [
    [nearX, -nearZ],
    [-nearX, nearZ],
  ] as const;
  const [left, other] = corners.toSorted((one, two) => one[0] * right[0] + one[1] * right[1] - two[0] * right[0] - two[1] * right[1]);
  for (const [edgeX, edgeZ] of [left!, other!, [-nearX, -nearZ] as const]) line(edgeX, FLOOR, edgeZ, edgeX, box.top, edgeZ);
  if (scale) {
    const ticks = scaleTicks(scale, count);
    const texts = scale.isLog ? ticks.map(formatLogTick) : formatTicks(ticks);
    ticks.forEach((tick, index) => {
      const up = box.up(heightOf(scale, tick));
      line(-nearX, up, -nearZ, left![0], up, left![1]);
      line(-nearX, up, -nearZ, other![0], up, other![1]);
      const out = [-right[0], 0, -right[1]] as const;
      labels.push({ text: texts[index]!, at: [left![0], up, left![1]], out });
    });
    labels.push({ text: names[2], at: [left![0], box.top, left![1]], out: [0, 1, 0], isTitle: true });
  }
  return { lines: Float32Array.from(lines), labels };
}

export function boxSegments(lines: Float32Array, color: string): LineSegments {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(lines, 3));
  return new LineSegments(geometry, new LineBasicMaterial({ color }));
}
