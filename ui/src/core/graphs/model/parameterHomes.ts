// SPDX-License-Identifier: Apache-2.0
import type { Adjacency } from "./adjacency";
import type { ScopeTree } from "./scopeTree";
import { PART, ROLE, type GraphStructure } from "./structure";

/** MindSpore lists inputs among the parameters; names of their kind, without the path of a module, are inputs. */
const INPUT_NAME = /^(inputs?|x|y|data|labels?|targets?|args?|kwargs?|.*mask|tokens?|.*_ids?|batch|images?|img|src|tgt)_?\d*$/i;
const FIXED_NAME =
  /(^|[._/])(running_mean|running_var|num_batches_tracked|moving_mean|moving_variance|global_step|learning_rate)$|^(moments?|adam_[mv]|accum|mean_square|moment[12])\./;

/** Whether a parameter is a weight, and whether a training changes it, by its role and its name. */
export function isWeight({ role, label, texts }: GraphStructure, node: number): boolean {
  return role[node] === ROLE.parameter && !INPUT_NAME.test(texts[label[node]!]!);
}

export const isTrainable = ({ label, texts }: GraphStructure, weight: number): boolean => !FIXED_NAME.test(texts[label[weight]!]!);

/**
 * The scope to which a weight belongs, by node; -1 for other nodes. Weights are outside of all scopes in most files: they belong to
 * the first operation that reads them, besides the gradient and the optimizer.
 */
export function weightScopes({ structure }: ScopeTree, { outgoing }: Adjacency): Int32Array {
  const { scope, parts, shape, target } = structure;
  const home = new Int32Array(scope.length).fill(-1);
  for (let node = 0; node < scope.length; node++) {
    if (!isWeight(structure, node)) continue;
    home[node] = scope[node]!;
    if (scope[node] !== 0) continue;
    const readers = [node];
    const seen = new Set(readers);
    let found = -1;
    for (const reader of readers) {
      for (let slot = outgoing.start[reader]!; slot < outgoing.start[reader + 1]!; slot++) {
        const next = target[outgoing.members[slot]!]!;
        if (seen.has(next)) continue;
        seen.add(next);
        if (parts[next]! & PART.passThrough) {
          if (shape[next] === shape[node]) readers.push(next);
        } else if (found < 0 || isEarlier(structure, next, found)) found = next;
      }
    }
    if (found >= 0) home[node] = scope[found]!;
  }
  return home;
}

/** Operations of the forward part come first, then those that come first in the file. */
function isEarlier({ parts }: GraphStructure, a: number, b: number): boolean {
  const isBackward = (node: number): boolean => (parts[node]! & (PART.gradient | PART.optimizer)) !== 0;
  return isBackward(a) === isBackward(b) ? a < b : isBackward(b);
}
