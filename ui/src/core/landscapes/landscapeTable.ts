// SPDX-License-Identifier: Apache-2.0
import { jsonNumbers } from "../tables/json";
import type { Landscape } from "./landscape";
import { POINT, type DrawnSurface } from "./surface";

/** One row a point of the grid: coordinates, loss, and whether it was computed; then the path. NaN and infinities are words. */
export function landscapeRows({ x, y, losses, path }: Landscape, { state }: DrawnSurface): (string | number)[][] {
  const grid = Array.from(losses, (loss, index) => [
    "grid",
    "",
    x[index % x.length]!,
    y[Math.floor(index / x.length)]!,
    loss,
    Number.isFinite(loss) ? (state[index] === POINT.interpolated ? "interpolated" : "computed") : "missing",
    "",
  ]);
  const checkpoints = Array.from(path?.x ?? [], (at, index) => [
    "path",
    path!.steps[index] ?? index,
    at,
    path!.y[index]!,
    path!.loss[index]!,
    "computed",
    path!.distances?.[index] ?? "",
  ]);
  return [...grid, ...checkpoints];
}

export const ROW_TITLES = ["part", "step", "x", "y", "loss", "state", "distance from plane"] as const;

/** Everything that is known of a landscape, for programs. JSON has no NaN: such a loss is a text. */
export function landscapeValues(landscape: Landscape): unknown {
  const { run, tag, unit, step_per_epoch, decomposition, x, y, losses, evaluated, path, convergence, facts } = landscape;
  const numbers = (values: ArrayLike<number> | null): unknown => values && jsonNumbers(values);
  const rows = Array.from({ length: y.length }, (_, row) => numbers(losses.subarray(row * x.length, (row + 1) * x.length)));
  return {
    run,
    tag,
    unit,
    steps_per_epoch: step_per_epoch,
    decomposition,
    x: numbers(x),
    y: numbers(y),
    losses: rows,
    evaluated: evaluated && Array.from(evaluated, (each) => each === 1),
    path: path && {
      steps: path.steps,
      x: numbers(path.x),
      y: numbers(path.y),
      losses: numbers(path.loss),
      distances: numbers(path.distances),
      off_plane: numbers(path.offPlane),
    },
    convergence,
    facts,
  };
}
