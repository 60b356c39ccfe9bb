// SPDX-License-Identifier: Apache-2.0
import type { Route } from "./route";

/** Every page that there is, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  { path: "/", name: "nav.runs", icon: "runs", load: () => import("./runs/RunsPage.svelte") },
  { path: "/dashboard", name: "nav.dashboard", icon: "dashboard", load: () => import("./dashboard/DashboardPage.svelte") },
  { path: "/scalars", name: "nav.scalars", icon: "scalars", load: () => import("./scalars/ScalarsPage.svelte") },
  { path: "/compare", name: "nav.compare", icon: "compare", load: () => import("./compare/ComparePage.svelte") },
  { path: "/images", name: "nav.images", icon: "images", load: () => import("./images/ImagesPage.svelte") },
  {
    path: "/distributions",
    name: "nav.distributions",
    icon: "distributions",
    load: () => import("./distributions/DistributionsPage.svelte"),
  },
  { path: "/tensors", name: "nav.tensors", icon: "tensors", load: () => import("./tensors/TensorsPage.svelte") },
  { path: "/hparams", name: "nav.hparams", icon: "hparams", load: () => import("./hparams/HparamsPage.svelte") },
  { path: "/texts", name: "nav.texts", icon: "texts", load: () => import("./texts/TextsPage.svelte"), kinds: ["text"] },
  { path: "/audio", name: "nav.audio", icon: "audio", load: () => import("./audio/AudioPage.svelte"), kinds: ["audio"] },
  {
    path: "/pr-curves",
    name: "nav.prcurves",
    icon: "prcurves",
    load: () => import("./prcurves/PrCurvesPage.svelte"),
    kinds: ["pr_curve"],
  },
];

export function routeOf(path: string): Route {
  return ROUTES.find((route) => route.path === path) ?? ROUTES[0]!;
}
