// SPDX-License-Identifier: Apache-2.0
import type { ProfileKey } from "./profileKey";

/** Of a profile that others are compared with. */
export interface ComparableProfile extends ProfileKey {
  format: string;
  modified_at: number;
}

/** Formats whose profiles have no operators. */
const NOT_COMPARED: ReadonlySet<string> = new Set(["memory_snapshot", "chrome_trace", "ascend_cluster"]);

/** The profile of the same run that was written before this one, else the newest of another run, else any of the run. */
export function baselineOf(of: ProfileKey, entries: readonly ComparableProfile[]): ComparableProfile | undefined {
  const own = entries.find((entry) => isSame(entry, of));
  const others = entries.filter((entry) => !isSame(entry, of) && !NOT_COMPARED.has(entry.format));
  const rank = ({ run, format, modified_at }: ComparableProfile): number =>
    (run === of.run ? 4 : 0) + (format === own?.format ? 2 : 0) + (own && run === of.run && modified_at <= own.modified_at ? 1 : 0);
  return others.sort((one, other) => rank(other) - rank(one) || other.modified_at - one.modified_at)[0];
}

function isSame(one: ProfileKey, other: ProfileKey): boolean {
  return one.run === other.run && one.profile === other.profile;
}
