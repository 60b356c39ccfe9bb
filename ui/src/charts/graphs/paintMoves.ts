// SPDX-License-Identifier: Apache-2.0
import type { BoxMoves } from "../../core/graphs/view/transition";
import type { Ink, Surface } from "../frame/surface";
import type { GraphLook } from "./graphPainting";

/** A smooth start and end. */
const ease = (part: number): number => part * part * (3 - 2 * part);

/** Boxes on their way from one picture to the next, at a part of the way from 0 to 1. New boxes fade in, others fade out. */
export function paintMoves(surface: Surface, ink: Ink, moves: BoxMoves, look: GraphLook, part: number): void {
  const eased = ease(Math.min(Math.max(part, 0), 1));
  surface.save();
  surface.strokeStyle = ink("var(--outline)");
  for (let index = 0; index < moves.item.length; index++) {
    const at = (side: number): number => moves.from[4 * index + side]! * (1 - eased) + moves.to[4 * index + side]! * eased;
    const [x, y, width, height] = [at(0), at(1), at(2), at(3)];
    surface.globalAlpha = moves.isNew[index] ? eased : moves.isGone[index] ? 1 - eased : 1;
    surface.fillStyle = ink(look.color(moves.item[index]!) ?? "var(--paper-raised)");
    surface.beginPath();
    surface.rect(x, y, width, height);
    surface.fill();
    surface.stroke();
  }
  surface.restore();
}
