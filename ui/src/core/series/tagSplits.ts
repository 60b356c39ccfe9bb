// SPDX-License-Identifier: Apache-2.0
/** Words of tags that say which data a value is of. */
const TRAIN = ["train", "training"];
const HELD_OUT = ["val", "valid", "validation", "eval", "evaluation", "test"];
const WORD = /[A-Za-z]+/g;

interface SplitTag {
  /** The tag without the word. */
  rest: string;
  split: "train" | "held_out" | null;
}

/** The data that a tag is of, and what is left of it: `train/loss`, `val_loss` and `loss/test` are all of `loss`. */
export function splitTag(tag: string): SplitTag {
  for (const { 0: word, index } of tag.matchAll(WORD)) {
    const split = splitOf(word);
    const [before, after] = [tag[index - 1], tag[index + word.length]];
    if (split === null || !isSeparator(before) || !isSeparator(after) || (before === undefined && after === undefined)) continue;
    const rest = before === undefined ? tag.slice(word.length + 1) : tag.slice(0, index - 1) + tag.slice(index + word.length);
    return { rest, split };
  }
  return { rest: tag, split: null };
}

/** Tags that are the same of training data and of held-out data, training first. */
export function splitPairs(tags: readonly string[]): string[][] {
  const groups = new Map<string, { tag: string; split: SplitTag["split"] }[]>();
  for (const tag of tags) {
    const { rest, split } = splitTag(tag);
    groups.set(rest, [...(groups.get(rest) ?? []), { tag, split }]);
  }
  return [...groups.values()].flatMap((group) => {
    const of = (wanted: SplitTag["split"]): string[] => group.flatMap(({ tag, split }) => (split === wanted ? [tag] : []));
    const train = of("train").length > 0 ? of("train") : of(null);
    return train.length > 0 && of("held_out").length > 0 ? [[...train, ...of("held_out")]] : [];
  });
}

/** What a tag measures: its last part, without the word that says of which data. */
export function measureOf(tag: string): string {
  const { rest } = splitTag(tag);
  return rest.slice(rest.lastIndexOf("/") + 1);
}

function splitOf(word: string): "train" | "held_out" | null {
  if (TRAIN.includes(word.toLowerCase())) return "train";
  return HELD_OUT.includes(word.toLowerCase()) ? "held_out" : null;
}

function isSeparator(letter: string | undefined): boolean {
  return letter === undefined || "/_-. ".includes(letter);
}
