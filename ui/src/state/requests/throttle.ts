// SPDX-License-Identifier: Apache-2.0
/** Runs `action` at once, then at most once per `spacingMs()`; calls in between lead to one run at the end. */
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
