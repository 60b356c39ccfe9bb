// SPDX-License-Identifier: Apache-2.0
import { post, type Json } from "../../api/routes";
import { ANY_RUN, type ResourceDefinition } from "../requests/resourceCache";

export type Layouts = Json<"/api/layouts", "post">;

/** The recorded layouts of all runs as one, with the tags of some runs. */
export const recordedLayouts: ResourceDefinition<{ runs: readonly string[] }, Layouts> = {
  kind: "layouts",
  read: ({ runs }, signal) => post("/api/layouts", { runs: [...runs] }, signal),
  runs: () => ANY_RUN,
};
