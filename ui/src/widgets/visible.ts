// SPDX-License-Identifier: Apache-2.0
/** Beyond the window by this much an element counts as visible, so that scrolling meets finished charts. */
const MARGIN = "240px 0px";

const listeners = new WeakMap<Element, (isVisible: boolean) => void>();
let observer: IntersectionObserver | null = null;

/** One observer for all: thousands of cards ask. Use with `{@attach watchVisible(...)}`. */
export function watchVisible(onchange: (isVisible: boolean) => void): (element: Element) => () => void {
  return (element) => {
    observer ??= new IntersectionObserver(
      (entries) => {
        for (const entry of entries) listeners.get(entry.target)?.(entry.isIntersecting);
      },
      { rootMargin: MARGIN },
    );
    listeners.set(element, onchange);
    observer.observe(element);
    return () => observer?.unobserve(element);
  };
}
