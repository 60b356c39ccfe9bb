// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { groupDigits } from "../../core/text/format";
import { t as english } from "../../i18n/i18n.svelte";
import type { DebugFirstBadAnswer, DebugVerdict } from "../../state/data/debugger";
import { firstBad } from "./firstBad/firstBadExample";
import { countText, severity, unsearchedText, verdictTexts, worstFirst } from "./verdictWords";

function answer(more: Partial<DebugFirstBadAnswer> = {}): DebugFirstBadAnswer {
  return { version: "1", steps: 60, read_steps: 60, unreadable_steps: 0, is_complete: true, found: null, unfinished: null, ...more };
}

const verdict = (run: string, of: DebugFirstBadAnswer | null): DebugVerdict => ({
  key: { run, source: "." },
  answer: of,
  unsearched: null,
});
const infinite = { ...firstBad(), tensor: { ...firstBad().tensor, figures: { nan: 0, positive_inf: 3, count: 9 } } };

describe("the verdict of a training", () => {
  it("names kind, step, operator and line", () => {
    expect(verdictTexts(answer({ found: infinite }), english)).toEqual(["first Inf in step 50, head/aten::log, net.py:49"]);
    expect(verdictTexts(answer({ found: { ...firstBad(), stack: [] } }), english)).toEqual(["first NaN in step 50, head/aten::log"]);
    expect(verdictTexts(answer(), english)).toEqual(["no NaN and no Inf damages the training"]);
  });

  it("says that a training ended within a step", () => {
    const texts = verdictTexts(answer({ unfinished: { step: 12, rank: 0, operator: "fc/Linear" } }), english);
    expect(texts[1]).toBe("The training ended within step 12, after fc/Linear.");
  });

  it("counts the runs with a bad number, and says nothing of one or of those that were not searched", () => {
    const [bad, good] = [verdict("a", answer({ found: firstBad() })), verdict("b", answer())];
    expect(countText([bad, good], english)).toBe("1 of 2 runs has NaN");
    expect(countText([good, verdict("c", answer({ found: infinite })), bad], english)).toBe("2 of 3 runs have NaN or Inf");
    expect(countText([good, good], english)).toBe("0 of 2 runs have NaN or Inf");
    expect(countText([bad, verdict("b", null)], english)).toBeNull();
  });

  it("says why a recording was not searched", () => {
    const large = { ...verdict("a", null), unsearched: { why: "large", rows: 6_200_000 } } as const;
    expect(unsearchedText(large, english)).toBe(
      `${groupDigits(6_200_000)} tensors over all steps: too many to search at once for NaN and Inf. Search them on the tab First bad.`,
    );
    const failed = { ...verdict("a", null), unsearched: { why: "failed", rows: 10 } } as const;
    expect(unsearchedText(failed, english)).toBe("The search for NaN and Inf failed. The tab First bad says why.");
    expect(unsearchedText(verdict("b", answer()), english)).toBeNull();
  });

  it("puts bad numbers first, then ends within a step", () => {
    const all = [
      verdict("unread", null),
      verdict("good", answer()),
      verdict("ended", answer({ unfinished: { step: 12, rank: 0, operator: "fc/Linear" } })),
      verdict("bad", answer({ found: firstBad() })),
    ];
    expect(all.map(severity)).toEqual([0, 0, 1, 2]);
    expect(worstFirst(all).map(({ key }) => key.run)).toEqual(["bad", "ended", "unread", "good"]);
  });
});
