// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import golden from "./gifFrames.json";
import { GifScreen, parseGif, shownMs } from "./gif";

interface Golden {
  name: string;
  gif: string;
  width: number;
  height: number;
  frames: string[];
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
/** What Pillow decodes. */
const GOLDEN: readonly Golden[] = golden;

/** Colors of pixels that can be seen: what is transparent has none. */
function seen(pixels: Uint8Array | Uint8ClampedArray): number[] {
  return Array.from(pixels, (value, at) => (pixels[at | 3] === 0 ? 0 : value));
}

describe("a GIF", () => {
  it.each(GOLDEN)("has the frames that Pillow decodes: $name", ({ gif, width, height, frames }) => {
    const parsed = parseGif(bytesOf(gif))!;
    expect([parsed.width, parsed.height, parsed.frames.length]).toEqual([width, height, frames.length]);
    const screen = new GifScreen(parsed);
    frames.forEach((want, frame) => {
      screen.show(frame);
      expect(seen(screen.pixels)).toEqual(seen(bytesOf(want)));
    });
  });

  it.each(GOLDEN)("is the same in any order of frames: $name", ({ gif, frames }) => {
    const screen = new GifScreen(parseGif(bytesOf(gif))!);
    for (const frame of [...frames.keys()].reverse()) {
      screen.show(frame);
      expect(seen(screen.pixels)).toEqual(seen(bytesOf(frames[frame]!)));
    }
  });

  it("that breaks off anywhere has the frames before", () => {
    const bytes = bytesOf(GOLDEN[1]!.gif);
    const counts = Array.from(bytes, (_, end) => parseGif(bytes.subarray(0, end))?.frames.length ?? 0);
    expect(counts).toEqual(counts.toSorted((one, other) => one - other));
    expect(Math.max(...counts)).toBe(5);
  });

  it("never fails, whatever byte is another", () => {
    const bytes = bytesOf(GOLDEN[1]!.gif);
    for (let at = 13; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at] = 255 - damaged[at]!;
      const gif = parseGif(damaged)!;
      const screen = new GifScreen(gif);
      gif.frames.forEach((_, frame) => screen.show(frame));
    }
  });

  it("is not what begins otherwise", () => {
    expect(parseGif(new Uint8Array([0x89, 0x50]))).toBeNull();
    expect(parseGif(new Uint8Array(20))).toBeNull();
  });

  it("shows frames as long as they say, and frames without a duration a tenth of a second", () => {
    const { frames } = parseGif(bytesOf(GOLDEN[1]!.gif))!;
    expect(frames.map(shownMs)).toEqual([20, 30, 40, 50, 60]);
    expect(shownMs({ ...frames[0]!, durationMs: 0 })).toBe(100);
  });
});
