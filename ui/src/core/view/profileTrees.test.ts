// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { describeFlames, describeModules, flameRootsOf, modulesViewOf } from "./profileTrees";

test("open nodes and roots of flame graphs survive the address", () => {
  const query = new URLSearchParams();
  describeModules({ base: "hot", turned: ["a1", "zz"] }, query);
  describeFlames({ memory: "b2" }, query);
  expect(query.toString()).toBe("modules_open=hot&modules_turned=a1.zz&flame_memory=b2");
  expect(modulesViewOf(query)).toEqual({ base: "hot", turned: ["a1", "zz"] });
  expect(flameRootsOf(query)).toEqual({ memory: "b2" });
});

test("what a link says wrongly is as if it said nothing", () => {
  const query = new URLSearchParams("modules_open=half&modules_turned=A.%20.99999999999&flame_range=!&flame_other=a");
  expect(modulesViewOf(query)).toEqual({ base: "usual", turned: [] });
  expect(flameRootsOf(query)).toEqual({});
});
