// SPDX-License-Identifier: Apache-2.0
import { request } from "../../api/client";
import { json, post, type Json } from "../../api/routes";
import { problemOf, type Problem } from "../requests/problem";
import { ANY_RUN, type ResourceDefinition } from "../requests/resourceCache";

export type SweepList = Json<"/api/sweeps", "get">;
export type Sweep = SweepList["sweeps"][number];

/** The sweeps below the directory of the viewer; read again while one runs. */
export const sweeps: ResourceDefinition<object, SweepList> = {
  kind: "sweeps",
  read: (_, signal) => json(request("/api/sweeps", { signal })),
  runs: () => ANY_RUN,
  pollMs: 2000,
};

/** Starts and stops sweeps. */
export class SweepControl {
  problem = $state.raw<Problem | null>(null);
  /** The id of the sweep that a request is about. */
  pending = $state<string | null>(null);

  async change(sweep: Sweep): Promise<void> {
    this.pending = sweep.id;
    this.problem = null;
    try {
      if (sweep.is_running) await post("/api/sweeps/stop", { sweep: sweep.id });
      else await post("/api/sweeps/start", { sweep: sweep.id });
    } catch (error) {
      this.problem = problemOf(error);
    } finally {
      this.pending = null;
    }
  }
}
