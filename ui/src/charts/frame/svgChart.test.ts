// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { escapeXml, svgChart } from "./svgChart";

describe("drawings", () => {
  it("hold text from logs as text", () => {
    const svg = svgChart({
      title: `<script>"&`,
      width: 100,
      height: 50,
      plot: { left: 10, top: 0, right: 90, bottom: 40 },
      projections: [{ x: (value) => value, y: (value) => value }],
      xTicks: [{ at: 10, label: "1" }],
      yAxes: [{ title: "a & b", ticks: [], color: "#654321", isRight: true, edge: 90, width: 60 }],
      guides: [{ at: 20, label: "< 3" }],
      curves: [
        {
          label: "<b>",
          color: "#123456",
          dash: [6, 4],
          scale: 0,
          isBehind: false,
          x: [1, 2],
          raw: [1, 2],
          smoothed: [1, NaN],
          band: null,
          marks: [{ path: "M1 2L3 4Z", isFilled: true }],
        },
      ],
      ink: { text: "#000", grid: "#eee", paper: "#fff", guide: "#f00" },
    });
    expect(svg).toContain("&lt;script&gt;&quot;&amp;");
    expect(svg).not.toContain("<b>");
    expect(svg).toContain('stroke-opacity="0.34" stroke-dasharray="6 4"');
    expect(svg).toContain("&lt; 3");
    expect(svg).toContain('fill="#654321">a &amp; b<');
    expect(svg).toContain('<path d="M1 2L3 4Z" fill="#123456"');
    expect(escapeXml("a\u0000b")).toBe("ab");
  });
});
