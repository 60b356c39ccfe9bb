// SPDX-License-Identifier: Apache-2.0
/** Runs `action` at once, and at most once in `spacingMs()`; calls in between are answered by one run at the end. */
export function throttle(action: () => void, spacingMs: () => number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPending = false;

  function run(): void {
    isPending = false;
    action();
    timer = setTimeout(() => {
      timer = undefined;
      if (isPending) run();
    }, spacingMs());
  }

  return () => {
    if (timer === undefined) run();
    else isPending = true;
  };
}
