// SPDX-License-Identifier: Apache-2.0
import type { ViewPlan } from "./html/model";

/** What the page that is open can save. */
export interface PagePlan {
  /** Path of the page. */
  path: string;
  plan: (signal: AbortSignal) => Promise<ViewPlan>;
  isEmpty: () => boolean;
}

let offered: PagePlan | null = null;

/** Called by the page that is open; the returned function takes the offer back. */
export function offerPlan(plan: PagePlan): () => void {
  offered = plan;
  return () => {
    if (offered === plan) offered = null;
  };
}

/** What the page at a path can save; null while its code is not here, and for a page that saves nothing. */
export function planOf(path: string): PagePlan | null {
  return offered?.path === path ? offered : null;
}
