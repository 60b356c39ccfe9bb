// SPDX-License-Identifier: Apache-2.0
import { MEDIA_KINDS } from "../core/view/valueView";
import type { Route } from "../pages/frame/route";

/** The page of everything that has a value to look at for each step. */
export const MEDIA_PAGE: Route = {
  path: "/media",
  group: "data",
  name: "nav.media",
  words: "search.words_media",
  icon: "M2.5 3.5h11v9h-11ZM2.5 10.8l3.2-3.2 3 3 1.8-1.8 3 3M10.6 6.2v.1",
  load: () => import("../pages/media/MediaPage.svelte"),
  shows: MEDIA_KINDS,
};
