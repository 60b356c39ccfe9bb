// SPDX-License-Identifier: Apache-2.0
import type { Route } from "../pages/frame/route";
import { KINDS } from ".";

/** Every page that there is, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  { path: "/", group: "results", name: "nav.runs", icon: "runs", load: () => import("../pages/runs/RunsPage.svelte") },
  {
    path: "/dashboard",
    group: "results",
    name: "nav.dashboard",
    icon: "dashboard",
    load: () => import("../pages/dashboard/DashboardPage.svelte"),
  },
  ...KINDS.flatMap(({ pages = [] }) => pages),
  {
    path: "/logs",
    group: "system",
    name: "nav.logs",
    icon: "M3.5 2.5h9v11h-9ZM5.6 5.5h4.8M5.6 8h4.8M5.6 10.5h3",
    load: () => import("../pages/logs/LogsPage.svelte"),
  },
];

const NOT_FOUND: Route = {
  path: "",
  group: "results",
  name: "nav.not_found",
  icon: "warning",
  load: () => import("../pages/NotFoundPage.svelte"),
};

/** Addresses that people guess, and the pages that they mean. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["/runs", "/"],
  ["/lineage", "/lineage/models"],
  ["/profiling", "/profile"],
]);

/** The page that a guessed address means; null for any other address. */
export function aliasOf(path: string): string | null {
  return ALIASES.get(path) ?? null;
}

export function routeOf(path: string): Route {
  return ROUTES.find((route) => route.path === path) ?? NOT_FOUND;
}
