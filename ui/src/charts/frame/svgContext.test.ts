// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { SvgContext } from "./svgContext";

function drawn(paint: (surface: SvgContext) => void): string {
  const surface = new SvgContext((text) => 6 * text.length);
  paint(surface);
  return surface.body();
}

describe("SvgContext", () => {
  it("writes a path on tenths of a pixel, with its look", () => {
    const body = drawn((surface) => {
      surface.strokeStyle = "var(--ink)";
      surface.globalAlpha = 0.34;
      surface.lineWidth = 1.5;
      surface.setLineDash([6, 4]);
      surface.beginPath();
      surface.moveTo(1.234, 2);
      surface.lineTo(3.05, 4.96);
      surface.stroke();
    });
    expect(body).toBe(
      '<path d="M1.2 2L3.1 5" fill="none" stroke="var(--ink)" stroke-width="1.5" stroke-opacity="0.34" stroke-dasharray="6 4"/>',
    );
  });

  it("writes nothing for an empty path", () => {
    expect(
      drawn((surface) => {
        surface.beginPath();
        surface.moveTo(1, 1);
        surface.stroke();
        surface.fill();
      }),
    ).toBe("");
  });

  it("writes equal circles as dots in one path", () => {
    const body = drawn((surface) => {
      surface.beginPath();
      for (const x of [10, 20]) {
        surface.moveTo(x + 2.5, 5);
        surface.arc(x, 5, 2.5);
      }
      surface.fill();
    });
    expect(body).toBe('<path d="M10 5h0M20 5h0" stroke="#000" stroke-width="5" stroke-linecap="round"/>');
  });

  it("gathers rectangles of a color and texts of a look, and keeps their order", () => {
    const body = drawn((surface) => {
      for (const [index, color] of ["red", "blue", "red"].entries()) {
        surface.fillStyle = color;
        surface.fillRect(index, 0, 1, 1);
      }
      surface.textAlign = "right";
      surface.fillText("a", 1, 2);
      surface.fillText("b", 3, 4);
      surface.fillRect(9, 9, 1, 1);
    });
    expect(body).toBe(
      '<path d="M0 0h1v1h-1zM2 0h1v1h-1z" fill="red" shape-rendering="crispEdges"/>' +
        '<path d="M1 0h1v1h-1z" fill="blue" shape-rendering="crispEdges"/>' +
        '<g fill="red" text-anchor="end"><text x="1" y="2">a</text><text x="3" y="4">b</text></g>' +
        '<path d="M9 9h1v1h-1z" fill="red" shape-rendering="crispEdges"/>',
    );
  });

  it("restores looks, clips and moves", () => {
    const body = drawn((surface) => {
      surface.save();
      surface.fillStyle = "red";
      surface.beginPath();
      surface.rect(1, 2, 30, 40);
      surface.clip();
      surface.save();
      surface.translate(5, 6);
      surface.rotate(-Math.PI / 2);
      surface.fillText("up", 0, 0);
      surface.restore();
      surface.restore();
      surface.fillText("after", 0, 0);
    });
    expect(body).toBe(
      '<svg aria-hidden="true" x="1" y="2" width="30" height="40" viewBox="1 2 30 40">' +
        '<g transform="translate(5 6)"><g transform="rotate(-90)"><g fill="red"><text x="0" y="0">up</text></g></g></g></svg>' +
        '<g fill="#000"><text x="0" y="0">after</text></g>',
    );
  });

  it("holds text from logs as text", () => {
    const body = drawn((surface) => surface.fillText(`<script>"&\u0000`, 0, 0));
    expect(body).toContain(">&lt;script&gt;&quot;&amp;<");
  });
});
