// SPDX-License-Identifier: Apache-2.0
/** Milliseconds of a frame that may be spent on new cards: the rest is for scrolling and for painting. */
const BUDGET_MS = 3;

const waiting = new Set<() => void>();
let frame: number | null = null;

/** Calls back in one of the next frames, in the order of requests; the returned function cancels. */
export function nextBudget(build: () => void): () => void {
  waiting.add(build);
  frame ??= requestAnimationFrame(nextFrame);
  return () => waiting.delete(build);
}

function nextFrame(): void {
  const deadline = performance.now() + BUDGET_MS;
  for (const build of waiting) {
    waiting.delete(build);
    build();
    if (performance.now() >= deadline) break;
  }
  frame = waiting.size > 0 ? requestAnimationFrame(nextFrame) : null;
}
