// SPDX-License-Identifier: Apache-2.0
import type { Route } from "../pages/frame/route";
import { KINDS } from ".";

/** Every page that there is, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  { path: "/", name: "nav.runs", icon: "runs", load: () => import("../pages/runs/RunsPage.svelte") },
  { path: "/dashboard", name: "nav.dashboard", icon: "dashboard", load: () => import("../pages/dashboard/DashboardPage.svelte") },
  ...KINDS.flatMap(({ pages = [] }) => pages),
];

const NOT_FOUND: Route = { path: "", name: "nav.not_found", icon: "warning", load: () => import("../pages/NotFoundPage.svelte") };

export function routeOf(path: string): Route {
  return ROUTES.find((route) => route.path === path) ?? NOT_FOUND;
}
