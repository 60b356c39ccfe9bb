// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { arrivedRows, fileKind, recordedColumns, recordedText } from "./recordedTable";

const media = { "0": "image/png", "1": "audio/wav", "2": "text/html" };

describe("a recorded table", () => {
  it("names columns by their numbers, so that equal and odd names do no harm", () => {
    const columns = [
      { name: "__proto__", type: "text", values: ["a"] },
      { name: "", type: "number", values: [1] },
      { name: "", type: "bool", values: [true] },
    ];
    const shown = recordedColumns({ columns, media });
    expect(shown.map(({ id, title }) => [id, title])).toEqual([
      ["0", "__proto__"],
      ["1", ""],
      ["2", ""],
    ]);
    expect(shown.map(({ isNumber }) => isNumber)).toEqual([false, true, false]);
  });

  it("gives sounds more room than pictures, and texts what they need", () => {
    const columns = [0, 1].map((file) => ({ name: "file", type: "media", values: [null, file] }));
    const [picture, sound] = recordedColumns({ columns, media });
    expect(picture!.width).toBeLessThan(sound!.width!);
    expect(picture!.isDrawn).toBe(true);
    expect(recordedColumns({ columns: [{ name: "a", type: "text", values: [] }], media })[0]!.width).toBeUndefined();
  });

  it("shows files only as images and sounds", () => {
    expect([0, 1, 2, 3, null].map((file) => fileKind(media, file))).toEqual(["image", "sound", "file", "file", "file"]);
  });

  it("says texts and whole numbers as they were recorded, and fractions in five digits", () => {
    expect(["NaN", true, "", null, undefined].map(recordedText)).toEqual(["NaN", "true", "", "–", "–"]);
    expect([0, 12345678, 0.1, 0.30000000000000004, 2 / 3, -1e-9].map(recordedText)).toEqual([
      ...["0", "12345678", "0.1", "0.3", "0.66667"],
      "−1e−9",
    ]);
  });

  it("knows which rows have arrived", () => {
    expect([...arrivedRows({ first: 100, rows: [7, 3] })]).toEqual([
      [100, 0],
      [101, 1],
    ]);
  });
});
