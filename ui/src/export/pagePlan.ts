// SPDX-License-Identifier: Apache-2.0
import type { ViewPlan } from "./html/model";

/** What the page that is open can save. */
export interface PagePlan {
  /** Path of the page. */
  path: string;
  plan: (signal: AbortSignal) => Promise<ViewPlan>;
  isEmpty: () => boolean;
  /** Of a panel over the page, which counts before the page. */
  isOver: boolean;
}

const offers: PagePlan[] = [];

/** Called by the page that is open, and by a panel in it; the returned function takes the offer back. */
export function offerPlan(plan: PagePlan): () => void {
  offers.push(plan);
  return () => void offers.splice(offers.indexOf(plan), 1);
}

/** What the page at a path, or the panel that was opened last, can save; null while its code is not here. */
export function planOf(path: string): PagePlan | null {
  const offered = offers.filter((each) => each.path === path);
  return offered.findLast(({ isOver }) => isOver) ?? offered.at(-1) ?? null;
}
