// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { completionsAt, type SqlNames } from "./sqlCompletion";

const NAMES: SqlNames = {
  tables: [
    {
      name: "runs",
      columns: [
        { name: "run", type: "VARCHAR" },
        { name: "group", type: "VARCHAR" },
      ],
    },
    {
      name: "scalars",
      columns: [
        { name: "run", type: "VARCHAR" },
        { name: "step", type: "BIGINT" },
      ],
    },
  ],
  tags: ["loss/train", "it's"],
  runs: ["lenet"],
};

function labels(marked: string, isWanted = false): string[] {
  const cursor = marked.indexOf("|");
  return completionsAt(marked.replace("|", ""), cursor, NAMES, isWanted)?.items.map(({ label }) => label) ?? [];
}

describe("completionsAt", () => {
  it("offers columns, tables and words that begin with the letters", () => {
    expect(labels("SELECT s|")).toEqual(["step", "scalars", "SELECT", "SUMMARIZE", "sum", "stddev", "starts_with"]);
    expect(labels("SELECT sc| FROM runs")).toEqual(["scalars"]);
  });

  it("offers only columns of the tables that the statement names", () => {
    expect(labels("SELECT st| FROM runs")).toEqual(["stddev", "starts_with"]);
    expect(labels("SELECT scalars.| FROM scalars")).toEqual(["run", "step"]);
  });

  it("quotes columns that are words of SQL", () => {
    expect(completionsAt("SELECT gr FROM runs", 9, NAMES)?.items[0]).toMatchObject({ label: "group", insert: '"group"' });
  });

  it("offers tags and runs within quotes, and closes them", () => {
    expect(labels("WHERE tag = '|")).toEqual(["loss/train", "it's", "lenet"]);
    expect(labels("WHERE tag = 'TRAIN|'")).toEqual(["loss/train"]);
    expect(completionsAt("WHERE tag = 'it", 15, NAMES)?.items[0]?.insert).toBe("it''s'");
    expect(completionsAt("WHERE tag = 'it'", 15, NAMES)?.items[0]?.insert).toBe("it''s");
    expect(labels("WHERE tag = 'it''s|")).toEqual(["it's"]);
  });

  it("is quiet after a complete word, in comments, and without a letter", () => {
    expect(labels("SELECT step|")).toEqual([]);
    expect(labels("SELECT |")).toEqual([]);
    expect(labels("SELECT |", true)).not.toEqual([]);
    expect(labels("-- it's\nSELECT ste|")).toEqual(["step"]);
    expect(labels("SELECT 'a' AS x, zz|")).toEqual([]);
  });
});
