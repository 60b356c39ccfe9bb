// SPDX-License-Identifier: Apache-2.0
import { request } from "../../api/client";
import { json, post, type Json } from "../../api/routes";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

export type SqlAnswer = Json<"/api/query", "post">;
export type SqlResult = NonNullable<SqlAnswer["result"]>;
export type SqlTables = Json<"/api/query/tables", "get">;

/** A statement, and which time it runs: the same time has the same result. */
export interface SqlQuery {
  statement: string;
  request: string;
}

const POLL_MS = 400;
const FILE_POLL_MS = 400;
const CELL_BYTES = 40;

export const sqlResult: ResourceDefinition<SqlQuery, SqlAnswer> = {
  kind: "sql",
  read: (query, signal) => post("/api/query", query, signal),
  runs: noRuns,
  bytes: ({ result }) => CELL_BYTES * (result?.columns ?? []).reduce((sum, { values }) => sum + values.length, 0),
  keepsValue: () => false,
  pollMs: POLL_MS,
};

export const sqlTables: ResourceDefinition<object, SqlTables> = {
  kind: "sql_tables",
  read: (_, signal) => json(request("/api/query/tables", { signal })),
  runs: noRuns,
};

/** All rows of a result as a file, once it is there. Raises ApiError. */
export async function readSqlFile(query: SqlQuery, format: "csv" | "parquet"): Promise<Blob> {
  for (;;) {
    const response = await request("/api/query/file", { body: { ...query, format } });
    if (response.status !== 202) return response.blob();
    await new Promise((resolve) => setTimeout(resolve, FILE_POLL_MS));
  }
}
