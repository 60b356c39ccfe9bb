// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { includedIn, inclusionSetOf } from "./inclusionSet";

const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 40 });

describe("an inclusion set", () => {
  it("shows exactly what was chosen", () => {
    fc.assert(
      fc.property(names, fc.infiniteStream(fc.boolean()), (runs, coins) => {
        const shown = runs.filter(() => coins.next().value as boolean);
        const choice = inclusionSetOf(new Set(shown), runs);
        expect(includedIn(choice, runs)).toEqual(shown);
      }),
    );
  });

  it("includes runs still to come when all were chosen", () => {
    expect(includedIn(inclusionSetOf(new Set(["a", "b"]), ["a", "b"]), ["a", "b", "later"])).toContain("later");
  });
});
