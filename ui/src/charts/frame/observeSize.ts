// SPDX-License-Identifier: Apache-2.0
import type { Size } from "./plotFrame";

const listeners = new WeakMap<Element, (size: Size) => void>();
let observer: ResizeObserver | null = null;

/** Reports the size of an element in whole CSS pixels, at first and after each change; for `{@attach observeSize(...)}`. */
export function observeSize(onchange: (size: Size) => void): (element: Element) => () => void {
  return (element) => {
    observer ??= new ResizeObserver((entries) => {
      for (const { target, contentRect } of entries) {
        listeners.get(target)?.({ width: Math.floor(contentRect.width), height: Math.floor(contentRect.height) });
      }
    });
    listeners.set(element, onchange);
    observer.observe(element);
    return () => {
      listeners.delete(element);
      observer?.unobserve(element);
    };
  };
}
