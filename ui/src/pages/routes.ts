// SPDX-License-Identifier: Apache-2.0
import type { Route } from "./frame/route";

/** Every page that there is, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  { path: "/", name: "nav.runs", icon: "runs", load: () => import("./runs/RunsPage.svelte") },
  { path: "/dashboard", name: "nav.dashboard", icon: "dashboard", load: () => import("./dashboard/DashboardPage.svelte") },
  { path: "/scalars", name: "nav.scalars", icon: "scalars", load: () => import("./scalars/ScalarsPage.svelte"), shows: ["scalar"] },
  { path: "/compare", name: "nav.compare", icon: "compare", load: () => import("./compare/ComparePage.svelte"), shows: ["scalar"] },
  { path: "/images", name: "nav.images", icon: "images", load: () => import("./images/ImagesPage.svelte"), shows: ["image"] },
  {
    path: "/histograms",
    name: "nav.histograms",
    icon: "histograms",
    load: () => import("./histograms/HistogramsPage.svelte"),
    shows: ["histogram"],
  },
  { path: "/tensors", name: "nav.tensors", icon: "tensors", load: () => import("./tensors/TensorsPage.svelte"), shows: ["tensor"] },
  {
    path: "/hparams",
    name: "nav.hparams",
    icon: "hparams",
    load: () => import("./hparams/HparamsPage.svelte"),
    shows: ["hparams", "train_lineage", "eval_lineage", "custom_lineage_data"],
  },
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

const NOT_FOUND: Route = { path: "", name: "nav.not_found", icon: "warning", load: () => import("./NotFoundPage.svelte") };

export function routeOf(path: string): Route {
  return ROUTES.find((route) => route.path === path) ?? NOT_FOUND;
}
