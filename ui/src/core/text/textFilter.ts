// SPDX-License-Identifier: Apache-2.0
import { isSlowPattern } from "./slowPattern";

/** Text of a filter box. */
export interface Filter {
  text: string;
  isRegex: boolean;
}

export interface Matcher {
  matches: (candidate: string) => boolean;
  /** Why the expression can't be used; then everything matches, so that nothing disappears while typing. */
  error: string | null;
}

/** Browsers repeat the expression before the reason. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(message.lastIndexOf(": ") + 1).trim();
}

/** Substring without regard to case; every word must occur. Or a regular expression, also without regard to case. */
export function matcherFor(filter: Filter): Matcher {
  const text = filter.text.trim();
  if (text === "") return { matches: () => true, error: null };
  if (!filter.isRegex) {
    const words = text.toLowerCase().split(/\s+/);
    return { matches: (candidate) => words.every((word) => candidate.toLowerCase().includes(word)), error: null };
  }
  if (isSlowPattern(text)) return { matches: () => true, error: "nested repetition takes too long" };
  try {
    const expression = new RegExp(text, "iu");
    return { matches: (candidate) => expression.test(candidate), error: null };
  } catch (error) {
    return { matches: () => true, error: reasonOf(error) };
  }
}
