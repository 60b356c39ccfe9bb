// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { imageSize, IMAGE_VIEW } from "./imageView";

describe("the size of a picture on the screen", () => {
  const room = { width: 400, height: 200 };

  it("is as large as the room allows, its shape kept", () => {
    expect(imageSize({ width: 40, height: 40 }, room, null)).toEqual({ width: 200, height: 200 });
    expect(imageSize({ width: 4000, height: 1000 }, room, null)).toEqual({ width: 400, height: 100 });
  });

  it("is never nothing on one side, and nothing before it is known", () => {
    expect(imageSize({ width: 32_000, height: 8 }, room, null)).toEqual({ width: 400, height: 1 });
    expect(imageSize({ width: 0, height: 0 }, room, null)).toEqual({ width: 0, height: 0 });
  });

  it("is its pixels times the scale", () => {
    expect(imageSize({ width: 40, height: 30 }, room, 8)).toEqual({ width: 320, height: 240 });
  });

  it("does not believe a scale or a gain that can't be", () => {
    for (const size of ["3", "fit", "-1", "1e9"]) expect(IMAGE_VIEW.read(new URLSearchParams({ size, gain: size })).scale).toBeNull();
    expect(IMAGE_VIEW.read(new URLSearchParams("size=original&gain=5"))).toMatchObject({ scale: 1, gain: 1 });
  });
});
