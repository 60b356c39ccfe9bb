// SPDX-License-Identifier: Apache-2.0
import type { ProfileKey } from "../../core/view/profileView";
import { pipelineSource } from "../../state/data/profileParts";
import { holdsProfiles, profileList, profileTables, type OfTimeline, type ProfileEntry } from "../../state/data/profiles";
import { runs } from "../../state/data/runs.svelte";
import { jobSource } from "../../state/requests/problem";
import { createResource } from "../../state/requests/resource.svelte";
import { view } from "../../state/view/view.svelte";

/** The data pipeline in the chosen profile of a run, the one written last by default. Make it while a component is made. */
export class MeasuredSource {
  readonly #run: () => string;
  readonly list = createResource(profileList, () => (this.hasProfiles ? { runs: [this.#run()] } : null));
  readonly #tables = createResource(profileTables, () => this.chosen);
  readonly #pipeline = createResource(pipelineSource, () => this.of);

  constructor(run: () => string) {
    this.#run = run;
  }

  get hasProfiles(): boolean {
    return holdsProfiles(runs.byId.get(this.#run())?.contents);
  }

  get entries(): readonly ProfileEntry[] {
    return this.list.value?.profiles.filter(({ run }) => run === this.#run()) ?? [];
  }

  get chosen(): ProfileKey | null {
    const { chosen } = view.profiles;
    const last = this.entries.reduce<ProfileEntry | null>((one, each) => (one && one.modified_at >= each.modified_at ? one : each), null);
    const found = this.entries.find(({ run, profile }) => run === chosen?.run && profile === chosen.profile) ?? last;
    return found && { run: found.run, profile: found.profile };
  }

  get #job() {
    const answer = this.#tables.value;
    return answer?.run === this.chosen?.run && answer?.profile === this.chosen?.profile ? answer : null;
  }

  /** Null until the profile is read. */
  get of(): OfTimeline | null {
    const job = this.#job;
    return job?.tables && job.version !== null ? { run: job.run, profile: job.profile, version: job.version } : null;
  }

  get summary() {
    return this.#job?.tables?.summary ?? null;
  }

  get progress() {
    return this.#job?.progress ?? null;
  }

  get problems() {
    return [this.list, jobSource(this.#tables, this.#job), this.#pipeline];
  }

  /** Whether it is still unknown what the profile has of the pipeline. */
  get isLoading(): boolean {
    return this.hasProfiles && this.pipeline === null && this.problems.every(({ problem }) => problem === null);
  }

  get pipeline() {
    return this.of && this.#pipeline.value;
  }
}
