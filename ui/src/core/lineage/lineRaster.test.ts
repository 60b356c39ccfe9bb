// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CHANNEL_MAX, FULL, LineRaster } from "./lineRaster";
import { LineStrip } from "./lineStrip";

const size = fc.record({ width: fc.integer({ min: 1, max: 60 }), height: fc.integer({ min: 1, max: 60 }) });
const sizeAndLines = size.chain(({ width, height }) =>
  fc.record({
    width: fc.constant(width),
    height: fc.constant(height),
    lines: fc.array(
      fc.record({
        from: fc.double({ min: 0, max: height - 1, noNaN: true }),
        to: fc.double({ min: 0, max: height - 1, noNaN: true }),
        color: fc.tuple(...Array.from({ length: 3 }, () => fc.integer({ min: 0, max: CHANNEL_MAX }))),
        isPassing: fc.boolean(),
      }),
      { maxLength: 20 },
    ),
  }),
);

function pixels(raster: LineRaster): number[][] {
  return Array.from({ length: raster.width * raster.height }, (_, pixel) => [
    raster.coverage(pixel),
    raster.channel(pixel, 0),
    raster.channel(pixel, 1),
    raster.channel(pixel, 2),
  ]);
}

describe("a raster of lines", () => {
  it("covers each column of a flat line once, where the line is", () => {
    const raster = new LineRaster(5, 5);
    raster.add(0, 4, Uint8Array.of(1, 2, 3), 0, 1);
    expect(pixels(raster)).toEqual(
      Array.from({ length: 25 }, (_, pixel) => (pixel % 6 === 0 ? [FULL, FULL, 2 * FULL, 3 * FULL] : [0, 0, 0, 0])),
    );
  });

  it("shares coverage between neighbors, and covers each line with one unit a step", () => {
    fc.assert(
      fc.property(sizeAndLines, ({ width, height, lines }) => {
        const raster = new LineRaster(width, height);
        for (const { from, to } of lines) raster.add(from, to, new Uint8Array(3), 0, 1);
        const total = pixels(raster).reduce((sum, [coverage]) => sum + coverage!, 0);
        const want = lines.reduce((sum, { from, to }) => {
          const rows = Math.floor(Math.max(from, to)) - Math.ceil(Math.min(from, to)) + 1;
          return sum + FULL * (Math.abs(to - from) <= width ? width : rows);
        }, 0);
        expect(total).toBe(want);
      }),
    );
  });

  it("is empty again when all lines were taken away", () => {
    fc.assert(
      fc.property(sizeAndLines, ({ width, height, lines }) => {
        const raster = new LineRaster(width, height);
        const channels = Uint8Array.from(lines.flatMap(({ color }) => color));
        for (const sign of [1, -1] as const) lines.forEach(({ from, to }, line) => raster.add(from, to, channels, line, sign));
        expect(
          pixels(raster)
            .flat()
            .every((each) => each === 0),
        ).toBe(true);
      }),
    );
  });

  it("follows a selection exactly, whatever was selected before", () => {
    fc.assert(
      fc.property(sizeAndLines, fc.infiniteStream(fc.boolean()), ({ width, height, lines }, coin) => {
        const channels = Uint8Array.from(lines.flatMap(({ color }) => color));
        const strip = new LineStrip(
          width,
          height,
          lines.map(({ from }) => from),
          lines.map(({ to }) => to),
          channels,
        );
        for (let round = 0; round < 3; round++) strip.select(Uint8Array.from(lines, () => Number(coin.next().value)));
        strip.select(Uint8Array.from(lines, ({ isPassing }) => Number(isPassing)));
        const want = new LineRaster(width, height);
        lines.forEach(({ from, to, isPassing }, line) => isPassing && want.add(from, to, channels, line, 1));
        expect(pixels(strip.selected)).toEqual(pixels(want));
      }),
    );
  });
});
