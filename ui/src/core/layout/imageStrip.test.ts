// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, test } from "vitest";

import { foldedColumns, isTiled, stripOf, unfolded, type ImageStrip } from "./imageStrip";

const TEN: ImageStrip = { tiles: 10, side: 28, isTall: false };

/** Pixels of a strip whose gray is a function of the tile and of the place in it. */
function painted({ tiles, side, isTall }: ImageStrip, gray: (tile: number, along: number, across: number) => number): number[] {
  const pixels: number[] = [];
  for (let y = 0; y < (isTall ? tiles * side : side); y++)
    for (let x = 0; x < (isTall ? side : tiles * side); x++) {
      const [along, across] = isTall ? [y, x] : [x, y];
      const level = gray(Math.floor(along / side), along % side, across);
      pixels.push(level, level, level, 255);
    }
  return pixels;
}

describe("a picture that can be a strip of tiles", () => {
  test.each([
    [{ width: 280, height: 28 }, TEN],
    [
      { width: 28, height: 280 },
      { ...TEN, isTall: true },
    ],
    [{ width: 280, height: 30 }, null],
    [{ width: 84, height: 28 }, null],
    [{ width: 28, height: 28 }, null],
    [{ width: 10, height: 1 }, null],
    [{ width: 0, height: 0 }, null],
  ])("%o", (size, strip) => expect(stripOf(size)).toEqual(strip));
});

describe.each([TEN, { ...TEN, isTall: true }])("tiles are told by their seams: %o", (strip) => {
  it("has them between digits on black, and between photos", () => {
    const digit = (tile: number, along: number, across: number): number =>
      Math.hypot(along - 14, across - 14) < 6 + (tile % 3) ? 255 - 8 * along : 0;
    const photo = (tile: number, along: number, across: number): number => ((tile * 7919) % 200) + along + across / 2;
    expect(isTiled(painted(strip, digit), strip)).toBe(true);
    expect(isTiled(painted(strip, photo), strip)).toBe(true);
  });

  it("has none in a plot, a ramp, and where all is one gray", () => {
    const plot = (tile: number, along: number, across: number): number =>
      Math.abs(across - 14 - 9 * Math.sin((28 * tile + along) / 17)) < 1 ? 0 : 255;
    const ramp = (tile: number, along: number): number => (28 * tile + along) % 256;
    expect(isTiled(painted(strip, plot), strip)).toBe(false);
    expect(isTiled(painted(strip, ramp), strip)).toBe(false);
    expect(
      isTiled(
        painted(strip, () => 90),
        strip,
      ),
    ).toBe(false);
  });
});

describe("rows of tiles", () => {
  test.each([
    ["a card", TEN, { width: 336, height: 150 }, 5],
    ["a square", TEN, { width: 400, height: 400 }, 4],
    ["a room for three columns, without one tile alone", TEN, { width: 535, height: 715 }, 2],
    ["a narrow room", TEN, { width: 100, height: 600 }, 1],
    ["a room as long as the strip", TEN, { width: 1000, height: 110 }, null],
    ["no room", TEN, { width: 0, height: 0 }, null],
    ["a card, of a column of tiles", { ...TEN, isTall: true }, { width: 336, height: 150 }, 5],
  ] as const)("fill %s", (_, strip, room, columns) => expect(foldedColumns(strip, room)).toBe(columns));

  it("have the pixels of the picture", () => {
    expect(unfolded(TEN, 4, { x: 29, y: 3 })).toEqual({ x: 29, y: 3 });
    expect(unfolded(TEN, 4, { x: 29, y: 31 })).toEqual({ x: 5 * 28 + 1, y: 3 });
    expect(unfolded({ ...TEN, isTall: true }, 4, { x: 29, y: 31 })).toEqual({ x: 1, y: 5 * 28 + 3 });
    expect(unfolded(TEN, 4, { x: 60, y: 60 })).toBeNull();
  });
});
