// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { DEFAULT_SELECTED, defaultSelection } from "./defaultSelection";

describe("the default selection", () => {
  it("begins with the newest of very many", () => {
    const runs = Array.from({ length: DEFAULT_SELECTED + 5 }, (_, index) => ({ id: `r${index}`, last_wall_time: index }));
    expect(defaultSelection(runs)).toHaveLength(DEFAULT_SELECTED);
    expect(defaultSelection(runs)[0]).toBe(`r${DEFAULT_SELECTED + 4}`);
    expect(defaultSelection(runs.slice(0, 3))).toEqual(["r0", "r1", "r2"]);
  });
});
