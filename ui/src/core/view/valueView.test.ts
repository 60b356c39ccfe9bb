// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { defaultValueView, describeValues, valueViewOf, type ValueView } from "./valueView";

function through(view: ValueView): ValueView {
  const query = new URLSearchParams();
  describeValues(view, query);
  return valueViewOf(new URLSearchParams(query.toString()));
}

describe("the address of single values", () => {
  it("says nothing of what is as it always is", () => {
    const query = new URLSearchParams();
    describeValues(defaultValueView(), query);
    expect(query.toString()).toBe("");
  });

  it("keeps everything else", () => {
    const view: ValueView = {
      mode: "heat",
      slice: ["0", "::-1", "2:8"],
      decimals: 3,
      isScientific: true,
      isWholeRange: true,
      isOfWhole: true,
      isPlain: true,
    };
    expect(through(view)).toEqual(view);
  });

  it("does not believe what can't be", () => {
    expect(valueViewOf(new URLSearchParams("as=soup&decimals=-3"))).toEqual(defaultValueView());
  });
});
