// SPDX-License-Identifier: Apache-2.0
/** A profile by its path below the directory of its run. */
export interface ProfileKey {
  run: string;
  profile: string;
}
