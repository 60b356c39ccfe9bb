// SPDX-License-Identifier: Apache-2.0
/** Some of a list that may grow: a base that is all or none of it, and the exceptions. */
export interface InclusionSet {
  base: "all" | "none";
  except: readonly string[];
}

/** Names in the order of the list that the choice takes. */
export function includedIn({ base, except }: InclusionSet, names: readonly string[]): string[] {
  const exceptions = new Set(except);
  return names.filter((name) => exceptions.has(name) !== (base === "all"));
}

/** The shortest choice that takes exactly `taken` among `names`; all of them includes those still to come. */
export function inclusionSetOf(taken: ReadonlySet<string>, names: readonly string[]): InclusionSet {
  const left = names.filter((name) => !taken.has(name));
  if (left.length === 0 && names.length > 0) return { base: "all", except: [] };
  const inside = names.filter((name) => taken.has(name));
  return inside.length <= left.length || left.length > 8 ? { base: "none", except: inside } : { base: "all", except: left };
}

/** The same choice after names became others. */
export function inclusionMoved({ base, except }: InclusionSet, names: ReadonlyMap<string, string>): InclusionSet {
  return { base, except: except.map((name) => names.get(name) ?? name) };
}
