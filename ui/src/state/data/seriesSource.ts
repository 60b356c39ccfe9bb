// SPDX-License-Identifier: Apache-2.0
import type { SeriesKey } from "../../api/routes";
import type { ResourceDefinition } from "../requests/resourceCache";

/** Data of one series of a run: it grows with the run, and is not shown under the name of another series. */
export interface SeriesSource<Value, Detail = unknown> extends ResourceDefinition<SeriesKey & Detail, Value> {
  bytes: (value: Value) => number;
}

export function seriesSource<Value, Detail = unknown>(
  definition: Pick<SeriesSource<Value, Detail>, "kind" | "read" | "bytes">,
): SeriesSource<Value, Detail> {
  return {
    ...definition,
    runs: ({ run }) => [run],
    keepsValue: (previous, next) => previous.run === next.run && previous.tag === next.tag,
  };
}
