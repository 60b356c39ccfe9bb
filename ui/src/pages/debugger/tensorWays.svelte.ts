// SPDX-License-Identifier: Apache-2.0
import { groupDigits } from "../../core/text/format";
import type { DebugRole } from "../../core/debugger/tensorRoles";
import { openedTensor } from "../../core/view/debugView";
import { t } from "../../i18n/i18n.svelte";
import { LoggedRuns } from "../../state/data/loggedRuns.svelte";
import { runs } from "../../state/data/runs.svelte";
import { pageLocation } from "../../state/view/location.svelte";
import { openCurvesAt, openLogsAt } from "../frame/openAt";
import { view } from "../../state/view/view.svelte";

/** A tensor of a step. */
export interface TensorPlace {
  rank: number;
  step: number;
  row: number;
  module: string;
  role: DebugRole;
  slot: string;
}

export interface TensorWay {
  value: "statistics" | "heat" | "curves" | "graph" | "log";
  text: string;
  open: () => void;
}

/** What else a run has of a tensor at a step: statistics, heat map, curves, graph, log. */
export class TensorWays {
  readonly #run: () => string;
  readonly #logged;

  constructor(run: () => string) {
    this.#run = run;
    this.#logged = new LoggedRuns(() => [run()]);
  }

  /** `figure`: of the heat map, by default the chosen one. */
  from(place: TensorPlace, figure?: string): TensorWay[] {
    const { rank, step, row, module } = place;
    const tags = runs.byId.get(this.#run())?.tags;
    const at = { step: groupDigits(step) };
    return [
      {
        ...{ value: "statistics", text: t("debug.way_statistics", at) },
        open: () => view.setDebug(openedTensor(view.debug, { rank, step, row })),
      },
      { value: "heat", text: t("debug.way_heat"), open: () => openHeat(place, figure) },
      ...(tags?.scalar ? [{ value: "curves" as const, text: t("debug.way_curves", at), open: () => openCurvesAt(step) }] : []),
      ...(tags?.graph && module !== ""
        ? [{ value: "graph" as const, text: t("debug.way_graph"), open: () => openGraph(this.#run(), place) }]
        : []),
      ...(this.#logged.has(this.#run())
        ? [{ value: "log" as const, text: t("debug.way_log", at), open: () => openLogsAt(this.#run(), step) }]
        : []),
    ];
  }
}

function openHeat({ rank, step, row }: TensorPlace, figure = view.debug.figure): void {
  view.setDebug({ ...openedTensor(view.debug, { rank, step, row }), show: "heat", figure });
}

function openGraph(run: string, { role, module, slot }: TensorPlace): void {
  const query = new URLSearchParams(pageLocation.query);
  query.delete("node");
  query.set("graph_run", run);
  if (role === "parameter" || role === "gradient") query.set("weight", `${module}.${slot}`);
  else query.set("graph_module", module);
  pageLocation.go(`/graph?${query}`);
}
