// SPDX-License-Identifier: Apache-2.0
import type { Route } from "./route";

/** Every page that there is, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  { path: "/", name: "nav.runs", icon: "runs", load: () => import("./runs/RunsPage.svelte") },
  { path: "/scalars", name: "nav.scalars", icon: "scalars", load: () => import("./scalars/ScalarsPage.svelte") },
  { path: "/compare", name: "nav.compare", icon: "compare", load: () => import("./compare/ComparePage.svelte") },
  { path: "/images", name: "nav.images", icon: "images", load: () => import("./images/ImagesPage.svelte") },
  {
    path: "/distributions",
    name: "nav.distributions",
    icon: "distributions",
    load: () => import("./distributions/DistributionsPage.svelte"),
  },
];

export function routeOf(path: string): Route {
  return ROUTES.find((route) => route.path === path) ?? ROUTES[0]!;
}
