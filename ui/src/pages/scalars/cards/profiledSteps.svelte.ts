// SPDX-License-Identifier: Apache-2.0
import type { StepRange } from "../../../core/series/stepMarks";
import { t } from "../../../i18n/i18n.svelte";
import { holdsProfiles, listedProfiles } from "../../../state/data/profiles";
import { runs } from "../../../state/data/runs.svelte";
import { createResource } from "../../../state/requests/resource.svelte";
import { pageLocation } from "../../../state/view/location.svelte";
import { runNames } from "../../../state/view/runNames.svelte";

/** Steps of a run that one of its profiles has. */
export interface ProfiledRange extends StepRange {
  profile: string;
}

/** Which steps of some runs a profile has. */
export class ProfiledSteps {
  readonly #list;
  /** In the order of the runs and of their profiles. */
  readonly ranges = $derived.by<readonly ProfiledRange[]>(() =>
    (this.#list.value?.profiles ?? []).flatMap(({ run, profile, first_step: first, last_step: last }) =>
      first === null || last === null ? [] : [{ run, profile, first, last }],
    ),
  );

  /** Lists the profiles of the runs that `runIds` returns. */
  constructor(runIds: () => readonly string[]) {
    this.#list = createResource(listedProfiles, () => {
      const holders = runIds().filter((run) => holdsProfiles(runs.byId.get(run)?.contents));
      return holders.length > 0 ? { runs: holders, contents: holders.map((run) => runs.byId.get(run)?.contents ?? []) } : null;
    });
  }

  /** Opens the profile of a step; null where none has it. */
  openerOf(run: string, step: number): (() => void) | null {
    const found = this.ranges.find((each) => each.run === run && each.first <= step && step <= each.last);
    return found ? () => this.open(found, step) : null;
  }

  titleOf({ run, profile, first, last }: ProfiledRange): string {
    const values = { first, last, profile, run: runNames.textOf(run) };
    return t(first === last ? "scalars.profiled_step" : "scalars.profiled_steps", values);
  }

  /** Opens a profile at one of its steps, the first without a number. */
  open({ run, profile, first }: ProfiledRange, step = first): void {
    const query = new URLSearchParams(pageLocation.query);
    query.set("profile", JSON.stringify([run, profile]));
    query.set("profile_tab", "steps");
    query.set("profile_step", String(step));
    pageLocation.go(`/profile?${query}`);
  }
}
