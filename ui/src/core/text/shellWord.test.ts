// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { shellWord } from "./shellWord";

it.each([
  ["runs/a", "runs/a"],
  ["/data/runs/a_1-b", "/data/runs/a_1-b"],
  ["", "''"],
  ["two words", "'two words'"],
  ["$(echo no)", "'$(echo no)'"],
  ["`echo no`", "'`echo no`'"],
  ['a"; echo "no', "'a\"; echo \"no'"],
  ["it's", "'it'\"'\"'s'"],
  ["$HOME", "'$HOME'"],
  ["a\\", "'a\\'"],
  ["a\nb", "'a\nb'"],
  ["!!", "'!!'"],
])("quotes %j as shlex.quote of Python does", (text, quoted) => expect(shellWord(text)).toBe(quoted));
