// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { clipAmong, clipFileName } from "./audioClips";

it("keeps the chosen clip where the value has it, and takes the last one else", () => {
  expect([0, 1, 2, 5].map((chosen) => clipAmong(chosen, 3))).toEqual([0, 1, 2, 2]);
  expect(clipAmong(2, 1)).toBe(0);
  expect(clipAmong(2, 0)).toBe(0);
});

it("names the clip of a file where there are several", () => {
  expect(clipFileName("tone_7", { clip: 0, clips: 1 })).toBe("tone_7");
  expect(clipFileName("tone_7", { clip: 0, clips: 3 })).toBe("tone_7_1");
  expect(clipFileName("tone_7", { clip: 2, clips: 3 })).toBe("tone_7_3");
});
