// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { fill } from "../../../i18n/fill";
import { t as english } from "../../../i18n/i18n.svelte";
import { zh } from "../../../i18n/zh";
import type { DebugFirstBadAnswer, DebugVerdict } from "../../../state/data/debugger";
import { firstBad } from "../firstBad/firstBadExample";
import { countText, crashHead, crashNotes, isAboutNumbers, mismatchHead, worstFirst } from "./findingsWords";
import type { DebugCrash } from "./findingsWords";
import { explanationName, explanationText } from "../firstBad/explanationWords";

const chinese: typeof english = (key, values = {}) => fill(zh[key], values);

function crash(error: string, more: Partial<DebugCrash> = {}): DebugCrash {
  return {
    ...{ run: "run", file: "train.log", rank: null, kind: "error", errors: [{ error, line: "" }], text: error, before: [] },
    ...{ is_memory: false, wall_time: 0 },
    ...more,
  };
}

function answer(more: Partial<DebugFirstBadAnswer> = {}): DebugFirstBadAnswer {
  return {
    ...{ version: "1", steps: 10, read_steps: 10, is_complete: true, unreadable_steps: 0, found: null, unfinished: null },
    ...more,
  };
}

const verdict = (run: string, of: DebugFirstBadAnswer | null): DebugVerdict => ({ key: { run, source: "." }, answer: of });

describe("why a training ended", () => {
  it("is its first cause", () => {
    const errors = [
      { error: "RuntimeError: no rate", line: "" },
      { error: "KeyError: 'lr'", line: "" },
    ];
    expect(crashHead(crash("", { errors }), english)).toBe("The training failed: KeyError: 'lr'");
    expect(crashHead(crash("KeyboardInterrupt", { kind: "interrupted" }), english)).toBe("A user interrupted the training");
    expect(crashHead(crash("KeyError: 'lr'"), chinese)).toBe("训练失败：KeyError: 'lr'");
  });

  it("says how much memory was requested, where the error does", () => {
    const memory = crash("DefaultCPUAllocator: can't allocate memory: you tried to allocate 4000000000 bytes.", {
      is_memory: true,
      rank: 3,
    });
    expect(crashHead(memory, english)).toMatch(/^The training ran out of memory: Default/);
    expect(crashNotes(memory, english)).toEqual(["On rank 3.", "It requested 3.7 GiB."]);
    expect(crashNotes(crash("ValueError: step 20000 is bad"), english)).toEqual([]);
  });

  it("is a bad number only where the error says so", () => {
    for (const error of ["ValueError: loss is nan", "ValueError: Input contains NaN, infinity", "probability tensor contains either `inf`"])
      expect(isAboutNumbers(crash(error))).toBe(true);
    for (const error of ["ValueError: bad record", "KeyError: 'info'", "OSError: nano is missing"])
      expect(isAboutNumbers(crash(error))).toBe(false);
  });
});

describe("ranks that differ", () => {
  const missing = { kind: "missing" as const, group: "dp", sequence: 12, values: { 0: "nccl:all_reduce", 1: "", 2: "nccl:all_reduce" } };
  const state = { kind: "state" as const, group: "dp", sequence: 11, values: { 0: "completed", 1: "started" } };

  it("are named with the first thing that says most", () => {
    expect(mismatchHead([state, missing], english)).toBe("Rank 0, Rank 2 called collective 12 of group dp; Rank 1 did not");
    expect(mismatchHead([state], english)).toBe(
      "Ranks differ in the state of collective 11 of group dp: Rank 0: completed; Rank 1: started",
    );
  });

  it("are not accused where a record may be lost", () => {
    expect(mismatchHead([], english)).toBeNull();
    expect(mismatchHead([{ ...missing, kind: "undecided" }], english)).toBeNull();
  });
});

describe("the way up to the first cause", () => {
  const tensor = firstBad().tensor.tensor;
  const zeros = {
    ...{ trait: "zeros" as const, kind: "operator" as const, name: "aten::mul", tensor, row: 1, line: "net.py:57", count: 24, total: 24 },
    ...{ value: 0, since: 30, inputs_reach: 0.6, update_ratio: null },
  };

  it("says what a tensor has since which step, and that the first cause makes it", () => {
    expect(explanationText(zeros, false, english)).toBe("zeros in 24 of 24 elements since step 30");
    expect(explanationText(zeros, true, english)).toBe("zeros in 24 of 24 elements since step 30; its inputs have none");
    const large = { ...zeros, trait: "large" as const, value: 512 };
    expect(explanationText(large, true, english)).toBe("up to 512 since step 30; its inputs reach 0.6000");
    const weights = { ...large, kind: "parameter" as const, name: "fc.weight", update_ratio: 9.13 };
    expect(explanationName(weights, english)).toBe("parameter fc.weight");
    expect(explanationText(weights, true, english)).toContain("An update changed it by up to 9.13 times its size");
    expect(explanationText(zeros, true, chinese)).toBe("自第 30 步起，24 个元素中有 24 个零值；其输入中没有");
  });
});

describe("several trainings", () => {
  it("are counted by their bad numbers, and the worst comes first", () => {
    const infinite = { ...firstBad(), tensor: { ...firstBad().tensor, figures: { positive_inf: 1 } } };
    const [bad, good] = [verdict("a", answer({ found: firstBad() })), verdict("b", answer())];
    expect(countText([good, bad], english)).toBe("1 of 2 runs has NaN");
    expect(countText([good, verdict("c", answer({ found: infinite })), bad], english)).toBe("2 of 3 runs have NaN or Inf");
    expect(countText([bad, verdict("b", null)], english)).toBeNull();
    const ended = verdict("ended", answer({ unfinished: { step: 12, rank: 0, operator: "fc/Linear" } }));
    expect(worstFirst([verdict("unread", null), good, ended, bad]).map(({ key }) => key.run)).toEqual(["a", "ended", "unread", "b"]);
  });
});
