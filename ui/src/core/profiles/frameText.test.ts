// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { shortFrame } from "./frameText";

it("leaves the name of the file", () => {
  expect(shortFrame("/home/me/my project/model.py(3): forward")).toBe("model.py(3): forward");
  expect(shortFrame(String.raw`C:\train\model.py(3): forward`)).toBe("model.py(3): forward");
  expect(shortFrame("model.py(3): forward")).toBe("model.py(3): forward");
  expect(shortFrame("aten::a/b")).toBe("aten::a/b");
  expect(shortFrame("<built-in method a/b>")).toBe("<built-in method a/b>");
});
