// SPDX-License-Identifier: Apache-2.0
import type { Route } from "./route";
import DistributionsPage from "./distributions/DistributionsPage.svelte";
import ImagesPage from "./images/ImagesPage.svelte";
import RunsPage from "./runs/RunsPage.svelte";
import ScalarsPage from "./scalars/ScalarsPage.svelte";

/** Every page that there is, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  { path: "/", name: "nav.runs", icon: "runs", page: RunsPage },
  { path: "/scalars", name: "nav.scalars", icon: "scalars", page: ScalarsPage },
  { path: "/images", name: "nav.images", icon: "images", page: ImagesPage },
  { path: "/distributions", name: "nav.distributions", icon: "distributions", page: DistributionsPage },
];

export function routeOf(path: string): Route {
  return ROUTES.find((route) => route.path === path) ?? ROUTES[0]!;
}
