// SPDX-License-Identifier: Apache-2.0
import type { MediaKind } from "../core/view/valueView";
import type { Route } from "../pages/frame/route";
import { KINDS } from ".";

/** Every page that there is, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  {
    path: "/",
    group: "results",
    name: "nav.runs",
    icon: "runs",
    load: () => import("../pages/runs/RunsPage.svelte"),
    hasRunTable: true,
  },
  {
    path: "/dashboard",
    group: "results",
    name: "nav.dashboard",
    icon: "dashboard",
    load: () => import("../pages/dashboard/DashboardPage.svelte"),
  },
  ...new Set(KINDS.flatMap(({ pages = [] }) => pages)),
  {
    path: "/reports",
    group: "results",
    name: "nav.reports",
    icon: "report",
    load: () => import("../pages/reports/ReportsPage.svelte"),
    hasRunTable: true,
    needsNoRun: true,
  },
  {
    path: "/query",
    group: "results",
    name: "nav.query",
    icon: "M2.5 4c0-.9 2.5-1.5 5.5-1.5s5.5.6 5.5 1.5v8c0 .9-2.5 1.5-5.5 1.5S2.5 12.9 2.5 12ZM2.5 4c0 .9 2.5 1.5 5.5 1.5s5.5-.6 5.5-1.5M2.5 8c0 .9 2.5 1.5 5.5 1.5s5.5-.6 5.5-1.5",
    load: () => import("../pages/query/QueryPage.svelte"),
    hasRunTable: true,
    needsNoRun: true,
  },
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

interface Alias {
  path: string;
  /** What the page showed where the address does not say it. */
  adds?: readonly [name: string, value: string];
  /** The part of the query by which the address means another page, and which that page does not have. */
  when?: readonly [name: string, value: string];
}

/** The page Model lineage had its chart open. */
const MODEL_LINEAGE: Alias = { path: "/", adds: ["lineage_chart", "coordinates"] };

/** The page that showed one kind of media. */
function mediaOf(kind: MediaKind): Alias {
  return { path: "/media", adds: ["kind", kind] };
}

/** Addresses that people guess, or have kept, and the pages that they mean. */
const ALIASES: ReadonlyMap<string, Alias> = new Map([
  ["/runs", { path: "/" }],
  ["/compare", { path: "/scalars" }],
  ["/lineage", MODEL_LINEAGE],
  ["/lineage/models", MODEL_LINEAGE],
  ["/profiling", { path: "/profile" }],
  ["/images", mediaOf("image")],
  ["/texts", mediaOf("text")],
  ["/audio", mediaOf("audio")],
  ["/video", mediaOf("video")],
  ["/videos", mediaOf("video")],
  ["/tables", mediaOf("table")],
  ["/html", mediaOf("html")],
  ["/meshes", mediaOf("mesh")],
  ["/tensors", mediaOf("tensor")],
  ["/steps", { path: "/media" }],
  ["/profile", { path: "/graph/dataset", when: ["profile_tab", "pipeline"] }],
]);

/** The address of the page that another one means; null for the address of a page as it is. */
export function aliasOf(path: string, query = ""): string | null {
  const alias = ALIASES.get(path);
  if (!alias) return null;
  const said = query.split("&").filter((part) => part !== "");
  const when = alias.when?.join("=");
  if (when !== undefined && !said.includes(when)) return null;
  const isSaid = !alias.adds || new URLSearchParams(query).has(alias.adds[0]);
  const parts = [...said.filter((part) => part !== when), ...(isSaid ? [] : [alias.adds!.join("=")])];
  return parts.length === 0 ? alias.path : `${alias.path}?${parts.join("&")}`;
}

export function routeOf(path: string): Route {
  return ROUTES.find((route) => route.path === path) ?? NOT_FOUND;
}
