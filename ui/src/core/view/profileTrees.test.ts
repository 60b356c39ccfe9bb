// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { FLAME_ROOTS, OPEN_MODULES } from "./profileTrees";

test("open nodes and roots of flame graphs survive the address", () => {
  const query = new URLSearchParams();
  OPEN_MODULES.write({ base: "hot", turned: ["a1", "zz"] }, query);
  FLAME_ROOTS.write({ memory: "b2" }, query);
  expect(query.toString()).toBe("modules_open=hot&modules_turned=a1.zz&flame_memory=b2");
  expect(OPEN_MODULES.read(query)).toEqual({ base: "hot", turned: ["a1", "zz"] });
  expect(FLAME_ROOTS.read(query)).toEqual({ memory: "b2" });
});

test("what a link says wrongly is as if it said nothing", () => {
  const query = new URLSearchParams("modules_open=half&modules_turned=A.%20.99999999999&flame_range=!&flame_other=a");
  expect(OPEN_MODULES.read(query)).toEqual({ base: "usual", turned: [] });
  expect(FLAME_ROOTS.read(query)).toEqual({});
});
