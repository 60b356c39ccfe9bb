// SPDX-License-Identifier: Apache-2.0
import type { ProfiledRange } from "../../core/profiles/profiledMarks";
import { holdsProfiles, listedProfiles } from "../../state/data/profiles";
import { runs } from "../../state/data/runs.svelte";
import { createResource } from "../../state/requests/resource.svelte";
import { pageLocation } from "../../state/view/location.svelte";

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

  /** Opens a profile at one of its steps, the first without a number. */
  open({ run, profile, first }: ProfiledRange, step = first): void {
    const query = new URLSearchParams(pageLocation.query);
    query.set("profile", JSON.stringify([run, profile]));
    query.set("profile_tab", "steps");
    query.set("profile_step", String(step));
    pageLocation.go(`/profile?${query}`);
  }
}
