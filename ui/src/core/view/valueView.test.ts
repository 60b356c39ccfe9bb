// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { VALUE_VIEW, type ValueView } from "./valueView";

function through(view: ValueView): ValueView {
  const query = new URLSearchParams();
  VALUE_VIEW.write(view, query);
  return VALUE_VIEW.read(new URLSearchParams(query.toString()));
}

describe("the address of single values", () => {
  it("says nothing of what is as it always is", () => {
    const query = new URLSearchParams();
    VALUE_VIEW.write(VALUE_VIEW.defaultValue, query);
    expect(query.toString()).toBe("");
  });

  it("keeps everything else", () => {
    const view: ValueView = {
      kind: "audio",
      hasCurves: true,
      mode: "heat",
      slice: ["0", "::-1", "2:8"],
      decimals: 3,
      isScientific: true,
      isWholeRange: true,
      isOfWhole: true,
      isPlain: true,
      rowsWhere: "score > 0.5",
      rowsSearch: "cat",
      rowsSort: { column: "2", isDescending: true },
      otherStep: 7,
      meshCamera: { azimuth: 10, elevation: -20.5, zoom: 2 },
      isWireframe: true,
    };
    expect(through(view)).toEqual(view);
  });

  it("does not believe what can't be", () => {
    expect(VALUE_VIEW.read(new URLSearchParams("as=soup&decimals=-3&kind=scalar"))).toEqual(VALUE_VIEW.defaultValue);
  });
});
