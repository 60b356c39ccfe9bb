// SPDX-License-Identifier: Apache-2.0
/** What the dashboard looks at; all of it is in the address. */
export interface DashboardView {
  /** The run of the cards; null for the first of the shown ones. */
  run: string | null;
  /** The previewed tag of a kind, where it is not the viewer's own choice. */
  tags: Readonly<Record<string, string>>;
}

const PREFIX = "preview_";

export function defaultDashboardView(): DashboardView {
  return { run: null, tags: {} };
}

export function describeDashboard({ run, tags }: DashboardView, query: URLSearchParams): void {
  if (run !== null) query.append("dashboard", run);
  for (const [kind, tag] of Object.entries(tags)) query.append(`${PREFIX}${kind}`, tag);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function dashboardViewOf(query: URLSearchParams): DashboardView {
  const kinds = [...new Set(query.keys())].filter((key) => key.startsWith(PREFIX) && key.length > PREFIX.length);
  return { run: query.get("dashboard"), tags: Object.fromEntries(kinds.map((key) => [key.slice(PREFIX.length), query.get(key)!])) };
}

/** The tag to preview: the selected one, otherwise the most likely loss or metric. */
export function previewTag(tags: readonly string[], chosen: string | undefined): string | undefined {
  if (chosen !== undefined && tags.includes(chosen)) return chosen;
  return tags.find((tag) => /train.*loss/i.test(tag)) ?? tags.find((tag) => /loss/i.test(tag)) ?? tags[0];
}

/** The tag of the landscape to preview: the chosen one, else the one that the server takes. */
export function landscapeTag(tags: readonly string[], chosen: string | undefined, usual: string | undefined): string | undefined {
  return chosen !== undefined && tags.includes(chosen) ? chosen : usual;
}
