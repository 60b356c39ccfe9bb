// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { imageDifference } from "./imageDifference";

describe("the difference of two pictures", () => {
  it("is none of a picture and itself", () => {
    const picture = [1, 2, 3, 255, 4, 5, 6, 255];
    expect(imageDifference(picture, picture)).toEqual({ largest: 0, different: 0, pixels: 2 });
  });

  it("is the largest of any level, and counts each pixel once", () => {
    const [one, other] = [
      [0, 0, 0, 255, 9, 9, 9, 255, 7, 7, 7, 255],
      [0, 0, 0, 255, 0, 200, 9, 255, 7, 8, 7, 0],
    ];
    expect(imageDifference(one, other)).toEqual({ largest: 191, different: 2, pixels: 3 });
  });
});
