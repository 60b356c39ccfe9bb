// SPDX-License-Identifier: Apache-2.0
import { fetchDamages, type DamageList } from "../../api/routes";
import { problemOf, type Problem } from "../requests/problem";

export type { DamageList };

/** What is broken in a run; the problem instead when that could not be read. */
export async function readDamages(run: string): Promise<DamageList | Problem> {
  try {
    return await fetchDamages(run);
  } catch (error) {
    return problemOf(error);
  }
}
