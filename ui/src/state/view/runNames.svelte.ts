// SPDX-License-Identifier: Apache-2.0
import { distinctNames, labelText, namingPaths, parameterLabels, pathLabel, shortLabels, type RunLabel } from "../../core/runs/runNames";
import { cutMiddle, letterCount } from "../../core/text/cutMiddle";
import { lineageFields } from "../data/lineageFields.svelte";
import { runs } from "../data/runs.svelte";
import { settings } from "./settings.svelte";
import { useLineage } from "./useLineage";

const MOST_LETTERS = 48;

/** How runs are named on every page: by what they do not share, by their paths, or by the parameters that differ. */
class RunNames {
  #paths = $derived(namingPaths(runs.all));
  #short = $derived.by(() => {
    const labels = shortLabels(this.#paths);
    return new Map(runs.all.map(({ id }, index) => [id, labels.get(this.#paths[index]!)!]));
  });
  /** What differs, without what all share in the middle too. */
  #distinct = $derived.by(() => {
    const names = distinctNames(this.#paths);
    return new Map(runs.all.map(({ id }, index) => [id, names[index]!]));
  });
  #parameters = $derived.by<ReadonlyMap<string, RunLabel>>(() => {
    if (settings.runNaming !== "parameters") return new Map();
    return parameterLabels(
      runs.ids,
      lineageFields.names.map((name) => lineageFields.field(name)),
    );
  });

  /** Reads the parameters when names are made of them; call it in an effect. */
  follow(): (() => void) | undefined {
    return settings.runNaming === "parameters" ? useLineage() : undefined;
  }

  /** The name of a run in parts; of something else that is named by a path, such as a group, its path. */
  labelOf(id: string): RunLabel {
    const short = settings.runNaming === "path" ? undefined : this.#short.get(id);
    return this.#parameters.get(id) ?? short ?? pathLabel(id);
  }

  /** The name in one piece, for places that hold text only: what differs, or its ends, when it is long. */
  textOf(id: string, mostLetters = MOST_LETTERS): string {
    const name = labelText(this.labelOf(id));
    const isLong = letterCount(name) > mostLetters && settings.runNaming === "short";
    return cutMiddle(isLong ? (this.#distinct.get(id) ?? name) : name, mostLetters);
  }
}

export const runNames = new RunNames();
