// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { formatWallTicks } from "../../core/text/time";
import type { LogLine } from "../../state/data/logs.svelte";
import { logTime, rowText } from "./logWords";

describe("logTime", () => {
  it("has the same milliseconds as the axis above the messages", () => {
    const time = new Date(2026, 10, 21, 23, 30, 26).getTime() / 1000 + 0.9956;
    expect(logTime(time, false)).toBe("23:30:26.996");
    expect(formatWallTicks([time, time + 0.001])[0]).toBe("23:30:26.996");
  });
});

describe("rowText", () => {
  const line = (text: string, match: LogLine["match"] = null): LogLine => ({
    ...{ file: 0, row: 0, level: "info", wall_time: null, module: "", rank: null, head: 0, lines: 1, is_cut: false },
    text,
    match,
  });

  it("puts where the code is after the message", () => {
    expect(rowText(line("[mindspore/train.py:12] step 3\n  more"))).toEqual({
      text: "step 3",
      match: null,
      location: "mindspore/train.py:12",
      inLocation: "",
    });
    expect(rowText(line("[mindspore/ccsrc/a.cc:7] Init] ready")).location).toBe("mindspore/ccsrc/a.cc:7 Init");
    expect(rowText(line("[12:30] tea")).text).toBe("[12:30] tea");
  });

  it("shows the line that matches, with the match", () => {
    const inFirst = rowText(line("[a.py:1] loss is nan", { line: 0, text: "[a.py:1] loss is nan", begin: 17, end: 20 }));
    expect(inFirst.text.slice(...inFirst.match!)).toBe("nan");
    const inThird = rowText(line("first\nsecond", { line: 2, text: "  ValueError: loss is nan", begin: 2, end: 12 }));
    expect(inThird.text).toBe("… ValueError: loss is nan");
    expect(inThird.text.slice(...inThird.match!)).toBe("ValueError");
    expect(rowText(line("[a.py:1] x", { line: 0, text: "[a.py:1] x", begin: 1, end: 5 }))).toMatchObject({
      text: "x",
      match: null,
      inLocation: "a.py",
    });
  });
});
