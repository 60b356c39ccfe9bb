// SPDX-License-Identifier: Apache-2.0
import { holdsProfiles, profileList } from "../../state/data/profiles";
import { runs } from "../../state/data/runs.svelte";
import { createResource } from "../../state/requests/resource.svelte";
import { pageLocation } from "../../state/view/location.svelte";

/** Which steps of some runs a profile has. */
export class ProfiledSteps {
  readonly #list;

  /** Lists the profiles of the runs that `runIds` returns. */
  constructor(runIds: () => readonly string[]) {
    this.#list = createResource(profileList, () => {
      const holders = runIds().filter((run) => holdsProfiles(runs.byId.get(run)?.contents));
      return holders.length > 0 ? { runs: holders } : null;
    });
  }

  /** Opens the profile of a step; null where none has it. */
  openerOf(run: string, step: number): (() => void) | null {
    const found = this.#list.value?.profiles.find(
      (each) =>
        each.run === run && each.first_step !== null && each.last_step !== null && each.first_step <= step && step <= each.last_step,
    );
    if (!found) return null;
    return () => {
      const query = new URLSearchParams(pageLocation.query);
      query.set("profile", JSON.stringify([found.run, found.profile]));
      query.set("profile_tab", "steps");
      query.set("profile_step", String(step));
      pageLocation.go(`/profile?${query}`);
    };
  }
}
