// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  arrangedColumns,
  defaultLayout,
  isRearranged,
  withColumns,
  withMoved,
  withoutColumns,
  withPinned,
  withWidth,
} from "./columnLayout";

const LIST = ["state", "updated", "size"];
const LINEAGE = ["rank", "lr", "optimizer", "state"];
const start = defaultLayout();

describe("changes of columns", () => {
  it("shows the columns of the page until they are changed", () => {
    expect(arrangedColumns(LIST, start)).toEqual(LIST);
    expect(isRearranged(start)).toBe(false);
    expect(isRearranged(withWidth(start, "lr", 80))).toBe(false);
  });

  it("hides and shows a column on every page", () => {
    const hidden = withColumns(start, LIST, ["state"], false);
    expect(arrangedColumns(LIST, hidden)).toEqual(["updated", "size"]);
    expect(arrangedColumns(LINEAGE, hidden)).toEqual(["rank", "lr", "optimizer"]);
    const again = withColumns(hidden, LIST, ["state"], true);
    expect(again).toEqual(start);
  });

  it("adds a column before those of the page, where people look first", () => {
    const added = withColumns(start, LIST, ["lr", "size"], true);
    expect(arrangedColumns(LIST, added)).toEqual(["lr", ...LIST]);
    expect(arrangedColumns(LINEAGE, added)).toEqual(LINEAGE);
  });

  it("shows the chosen columns alone after all were removed", () => {
    const none = withoutColumns(withColumns(start, LIST, ["state"], false));
    expect(arrangedColumns(LINEAGE, none)).toEqual([]);
    const chosen = withColumns(withColumns(none, LINEAGE, ["state", "lr"], true), LINEAGE, ["lr"], false);
    expect([arrangedColumns(LINEAGE, chosen), arrangedColumns(LIST, chosen)]).toEqual([["state"], ["state"]]);
  });

  it("keeps the columns that a page alone has, until they are hidden", () => {
    const own = ["lr", "last loss"];
    const kept = ["last loss"];
    const chosen = withColumns(withoutColumns(start), LIST, ["size"], true);
    expect(arrangedColumns(own, chosen, kept)).toEqual(["size", "last loss"]);
    expect(arrangedColumns(own, withColumns(chosen, own, kept, false), kept)).toEqual(["size"]);
    expect(arrangedColumns(own, withoutColumns(start, kept), kept)).toEqual([]);
  });

  it("moves a column to the left and to the right, and leaves the order of another page alone", () => {
    const moved = withMoved(start, LINEAGE, "state", "lr");
    expect(arrangedColumns(LINEAGE, moved)).toEqual(["rank", "state", "lr", "optimizer"]);
    expect(arrangedColumns(LIST, moved)).toEqual(LIST);
    expect(arrangedColumns(LINEAGE, withMoved(start, LINEAGE, "rank", "lr"))).toEqual(["lr", "rank", "optimizer", "state"]);
    const both = withMoved(moved, LIST, "size", "state");
    expect(arrangedColumns(LIST, both)).toEqual(["size", "state", "updated"]);
    expect(arrangedColumns(LINEAGE, both)).toEqual(["rank", "state", "lr", "optimizer"]);
  });

  it("places a column that is new beside the one that it follows", () => {
    const moved = withMoved(start, LINEAGE, "optimizer", "rank");
    expect(arrangedColumns(["rank", "lr", "seed", "optimizer", "state"], moved)).toEqual(["optimizer", "rank", "lr", "seed", "state"]);
  });

  it("holds pinned columns at the left, and unpins one that is moved away", () => {
    const pinned = withPinned(withPinned(start, "state", true), "lr", true);
    expect(arrangedColumns(LINEAGE, pinned)).toEqual(["state", "lr", "rank", "optimizer"]);
    const among = withMoved(pinned, arrangedColumns(LINEAGE, pinned), "rank", "lr");
    expect(among.pinned).toEqual(["state", "rank", "lr"]);
    const away = withMoved(pinned, arrangedColumns(LINEAGE, pinned), "lr", "optimizer");
    expect(away.pinned).toEqual(["state"]);
    expect(arrangedColumns(LINEAGE, away)).toEqual(["state", "rank", "optimizer", "lr"]);
  });

  it("loses and repeats no column, however they are moved", () => {
    const ids = fc.uniqueArray(fc.constantFrom(..."abcdefgh"), { minLength: 2 });
    fc.assert(
      fc.property(ids, ids, fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 4 }), (own, other, moves) => {
        let layout = start;
        for (const [from, to] of moves) {
          const shown = arrangedColumns(own, layout);
          layout = withMoved(layout, shown, shown[from % shown.length]!, shown[to % shown.length]!);
          expect(arrangedColumns(own, layout).sort()).toEqual([...own].sort());
          expect(arrangedColumns(other, layout).sort()).toEqual([...other].sort());
        }
      }),
    );
  });
});
