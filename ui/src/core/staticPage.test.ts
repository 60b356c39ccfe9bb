// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { staticPage } from "./staticPage";

describe("a page without a server", () => {
  const hostile = "</script><img src=x>";
  const page = staticPage({ title: hostile, address: "/scalars?tag=<b>", made: "now", language: "en", charts: [{ title: hostile, svg: "<svg/>" }], data: { run: hostile } });

  it("holds drawings and numbers, and text from logs as text", () => {
    expect(page).toContain('<figure aria-label="&lt;/script&gt;&lt;img src=x&gt;"><svg/></figure>');
    expect(page).not.toContain("<img");
    const json = /id="data">(.*)<\/script>/.exec(page)![1]!;
    expect(JSON.parse(json)).toEqual({ run: hostile });
  });

  it("asks nobody for anything", () => {
    expect(page).not.toMatch(/(src|href)="(?!data:)/);
    expect(page).toContain("default-src 'none'");
  });
});
