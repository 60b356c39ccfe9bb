// SPDX-License-Identifier: Apache-2.0
import { isSystemTag } from "./tagGroups";

/** The last value of a tag in a run, both by their numbers; the server's word where JSON has no number. */
interface LastValue {
  run: number;
  tag: number;
  last: number | string | null;
}

/** The last values of a tag in two runs, and their distance as a share of the larger one. */
export interface TagDifference {
  tag: string;
  lasts: readonly [number, number];
  share: number;
}

/** The tags that both runs have values of, those whose last values differ most first; metrics of the machine come last. */
export function mostDiffering(tags: readonly string[], values: readonly LastValue[]): TagDifference[] {
  const lasts = new Map(values.map(({ run, tag, last }) => [`${run} ${tag}`, Number(last ?? NaN)]));
  return tags
    .map((tag, index): TagDifference => {
      const [one, other] = [lasts.get(`0 ${index}`) ?? NaN, lasts.get(`1 ${index}`) ?? NaN];
      return { tag, lasts: [one, other], share: shareOf(one, other) };
    })
    .sort((one, other) => Number(isSystemTag(one.tag)) - Number(isSystemTag(other.tag)) || other.share - one.share);
}

/** 0 for equal values, at most 2; a value that is not finite differs most from a finite one. */
function shareOf(one: number, other: number): number {
  if (Object.is(one, other) || one === other) return 0;
  if (!Number.isFinite(one) || !Number.isFinite(other)) return 2;
  return Math.abs(one - other) / Math.max(Math.abs(one), Math.abs(other));
}
