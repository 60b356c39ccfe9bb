// SPDX-License-Identifier: Apache-2.0
/** Puts a floating element under its anchor, kept inside the window; above it when there is no room below. */
export function placeUnder(floating: HTMLElement, anchor: Element, align: "left" | "right" = "left"): void {
  const margin = 8;
  const from = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = floating;
  const wanted = align === "left" ? from.left : from.right - width;
  const left = Math.max(margin, Math.min(wanted, window.innerWidth - width - margin));
  const below = from.bottom + 4;
  const top = below + height > window.innerHeight - margin ? Math.max(margin, from.top - 4 - height) : below;
  floating.style.left = `${left}px`;
  floating.style.top = `${top}px`;
}

/** Puts a tip beside a point of the window, on the side where there is room. */
export function placeBeside(floating: HTMLElement, x: number, y: number): void {
  const gap = 16;
  const { offsetWidth: width, offsetHeight: height } = floating;
  const left = x + gap + width > window.innerWidth ? Math.max(4, x - gap - width) : x + gap;
  const top = Math.max(4, Math.min(y + gap, window.innerHeight - height - 4));
  floating.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}
