// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { en as first } from "./en";
import { advice } from "./en/advice";
import { debugCompareTexts } from "./en/debugCompare";
import { firstBadTexts } from "./en/firstBad";
import { profileDiff } from "./en/profileDiff";
import { profileParts } from "./en/profileParts";
import { profileRanks } from "./en/profileRanks";
import { logTexts } from "./en/logs";
import { debuggerTexts } from "./en/debugger";
import { recommendationTexts } from "./en/recommendations";
import { watchpointTexts } from "./en/watchpoints";
import { fill } from "./fill";
import { zh } from "./zh";

const en = {
  ...first,
  ...advice,
  ...profileParts,
  ...profileRanks,
  ...profileDiff,
  ...firstBadTexts,
  ...watchpointTexts,
  ...recommendationTexts,
  ...debugCompareTexts,
  ...logTexts,
  ...debuggerTexts,
};
const names = (message: string): string[] => [...new Set([...message.matchAll(/\{(\w+)/g)].map((match) => match[1]!))].sort();

describe("catalogs", () => {
  it("have the same keys in the same order", () => {
    expect(Object.keys(zh)).toEqual(Object.keys(en));
  });

  it.each(Object.keys(en) as (keyof typeof en)[])("fill the same names in %s", (key) => {
    expect(names(zh[key])).toEqual(names(en[key]));
    expect(zh[key].trim()).not.toBe("");
  });
});

describe("fill", () => {
  it("fills names and chooses the plural", () => {
    expect(fill("{n} {n|run|runs}", { n: 1 })).toBe("1 run");
    expect(fill("{n} {n|run|runs}", { n: 0 })).toBe("0 runs");
    expect(fill("{a} and {b}", { a: "x" })).toBe("x and {b}");
  });

  it("does not fill what was filled in", () => {
    expect(fill("{run}", { run: "{n}", n: 3 })).toBe("{n}");
  });
});
