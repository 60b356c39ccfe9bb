// SPDX-License-Identifier: Apache-2.0
import { isSystemTag } from "../series/tagGroups";
import { fields, optional, text, unique, type Param, type ValueOf } from "./schema";

const PREFIX = "preview_";

const TAGS: Param<Readonly<Record<string, string>>> = {
  defaultValue: {},
  read: (query) => {
    const names = unique([...query.keys()]).filter((name) => name.startsWith(PREFIX) && name.length > PREFIX.length);
    return Object.fromEntries(names.map((name) => [name.slice(PREFIX.length), query.get(name)!]));
  },
  write: (tags, query) => Object.entries(tags).forEach(([kind, tag]) => query.append(`${PREFIX}${kind}`, tag)),
};

/** What the dashboard looks at. */
export const DASHBOARD_VIEW = fields({
  /** The run of the cards; null for the first of the shown ones. */
  run: optional("dashboard", text),
  /** The previewed tag of a kind, where it is not the viewer's own choice. */
  tags: TAGS,
});
export type DashboardView = ValueOf<typeof DASHBOARD_VIEW>;

/** Words of losses of other data than those of the training. */
const HELD_OUT = /(^|[^a-z])(eval|val|valid|validation|test|dev)([^a-z]|$)/i;

/** The tag to preview: the selected one, otherwise the most likely loss or metric. */
export function previewTag(tags: readonly string[], chosen: string | undefined): string | undefined {
  if (chosen !== undefined && tags.includes(chosen)) return chosen;
  const losses = tags.filter((tag) => /loss/i.test(tag));
  return (
    losses.find((tag) => /train/i.test(tag)) ??
    losses.find((tag) => !HELD_OUT.test(tag)) ??
    losses[0] ??
    tags.find((tag) => !isSystemTag(tag)) ??
    tags[0]
  );
}

/** The tag of the landscape to preview: the chosen one, else the one that the server takes. */
export function landscapeTag(tags: readonly string[], chosen: string | undefined, usual: string | undefined): string | undefined {
  return chosen !== undefined && tags.includes(chosen) ? chosen : usual;
}
