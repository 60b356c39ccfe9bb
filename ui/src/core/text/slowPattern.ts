// SPDX-License-Identifier: Apache-2.0
/** Whether a regular expression may take exponential time: it repeats a group that contains a repetition, as `(a+)+` does. */
export function isSlowPattern(pattern: string): boolean {
  const repeats = [false];
  let closed = false;
  let isInClass = false;
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index]!;
    const follows = closed;
    closed = false;
    if (character === "\\") index++;
    else if (isInClass) isInClass = character !== "]";
    else if (character === "[") isInClass = true;
    else if (character === "(") repeats.push(false);
    else if (character === ")" && repeats.length > 1) {
      closed = repeats.pop()!;
      if (closed) repeats[repeats.length - 1] = true;
    } else if ("*+{".includes(character)) {
      if (follows) return true;
      repeats[repeats.length - 1] = true;
    }
  }
  return false;
}
