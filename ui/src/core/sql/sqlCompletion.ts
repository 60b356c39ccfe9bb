// SPDX-License-Identifier: Apache-2.0
/** What can be written at a place of a statement. */
export interface Completion {
  label: string;
  /** Text in place of `from` to `to`. */
  insert: string;
  kind: "table" | "column" | "keyword" | "tag" | "run";
  /** The type of a column; "" for others. */
  detail: string;
}

export interface Completions {
  from: number;
  to: number;
  items: readonly Completion[];
}

export interface SqlNames {
  tables: readonly { name: string; columns: readonly { name: string; type: string }[] }[];
  tags: readonly string[];
  runs: readonly string[];
}

const KEYWORDS = (
  "SELECT FROM WHERE GROUP ORDER BY LIMIT HAVING JOIN LEFT USING ON AS AND OR NOT IN LIKE BETWEEN IS NULL DISTINCT CASE WHEN THEN ELSE " +
  "END WITH UNION ALL OVER PARTITION FILTER QUALIFY DESC DESCRIBE EXPLAIN SUMMARIZE"
).split(" ");
const FUNCTIONS = (
  "count sum avg min max median stddev quantile_cont arg_max arg_min any_value first last round abs coalesce isnan isfinite to_timestamp " +
  "date_diff regexp_matches starts_with row_number lag lead"
).split(" ");
const RESERVED = new Set(["group", "order"]);
const MOST = 50;

/** Null where nothing fits. `isWanted`: a person requested it, so that it also comes without a letter. */
export function completionsAt(text: string, cursor: number, names: SqlNames, isWanted = false): Completions | null {
  const quote = openQuote(text, cursor);
  if (quote !== null) return inText(text, cursor, quote, names);
  const word = /[A-Za-z_]\w*$/.exec(text.slice(0, cursor))?.[0] ?? "";
  const from = cursor - word.length;
  const isMember = text[from - 1] === ".";
  if (word === "" && !isMember && !isWanted) return null;
  const items = matching(isMember ? columnsOf(text, names) : [...columnsOf(text, names), ...tablesOf(names), ...wordsOf()], word);
  const isDone = items.length === 1 && items[0]!.insert.toLowerCase() === word.toLowerCase();
  return items.length === 0 || isDone ? null : { from, to: cursor, items };
}

/** The place after the quote of the text that the cursor is in; null outside of any. */
function openQuote(text: string, cursor: number): number | null {
  let open: number | null = null;
  for (let at = 0; at < cursor; at++) {
    if (open === null && text.startsWith("--", at)) {
      const end = text.indexOf("\n", at);
      if (end < 0 || end >= cursor) return null;
      at = end;
    } else if (open !== null && text.startsWith("''", at) && at + 1 < cursor) at++;
    else if (text[at] === "'") open = open === null ? at + 1 : null;
  }
  return open;
}

function inText(text: string, cursor: number, from: number, { tags, runs }: SqlNames): Completions | null {
  const typed = text.slice(from, cursor).replaceAll("''", "'").toLowerCase();
  const isClosed = text[cursor] === "'";
  const items = [...tags.map((label) => ({ label, kind: "tag" as const })), ...runs.map((label) => ({ label, kind: "run" as const }))]
    .filter(({ label }) => label.toLowerCase().includes(typed))
    .slice(0, MOST)
    .map(({ label, kind }) => ({ label, kind, detail: "", insert: label.replaceAll("'", "''") + (isClosed ? "" : "'") }));
  return items.length === 0 ? null : { from, to: cursor, items };
}

/** Columns of the tables that the statement names; of all while it names none. */
function columnsOf(text: string, { tables }: SqlNames): Completion[] {
  const words = new Set(text.toLowerCase().match(/[a-z_]\w*/g) ?? []);
  const named = tables.filter(({ name }) => words.has(name));
  const columns = new Map(
    (named.length > 0 ? named : tables).flatMap((table) => table.columns.map(({ name, type }) => [name, type] as const)),
  );
  return [...columns].map(([label, detail]) => ({ label, detail, kind: "column", insert: RESERVED.has(label) ? `"${label}"` : label }));
}

function tablesOf({ tables }: SqlNames): Completion[] {
  return tables.map(({ name }) => ({ label: name, insert: name, kind: "table", detail: "" }));
}

function wordsOf(): Completion[] {
  return [...KEYWORDS, ...FUNCTIONS].map((label) => ({ label, insert: label, kind: "keyword", detail: "" }));
}

function matching(items: readonly Completion[], word: string): Completion[] {
  const start = word.toLowerCase();
  return items.filter(({ label }) => label.toLowerCase().startsWith(start)).slice(0, MOST);
}
