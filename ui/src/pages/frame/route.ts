// SPDX-License-Identifier: Apache-2.0
import type { Component } from "svelte";

import type { MessageKey } from "../../i18n/i18n.svelte";
import type { IconName } from "../../widgets/controls/icons";

/** A page of the viewer: where it is, what it is called, what it shows. */
export interface Route {
  path: string;
  name: MessageKey;
  icon: IconName;
  /** The page's own code: it is fetched when the page is first opened. */
  load: () => Promise<{ default: Component }>;
  /** Kinds of data without which the navigation leaves the page out; undefined for pages that are always listed. */
  kinds?: readonly string[];
  /** Kinds of data that the page shows; undefined for pages that show any run. */
  shows?: readonly string[];
}

/** Under this name the app gives pages the list of all pages. */
export const ROUTES_CONTEXT = Symbol("routes");
