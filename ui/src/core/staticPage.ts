// SPDX-License-Identifier: Apache-2.0
import { escapeXml } from "./svgChart";

export interface StaticPage {
  title: string;
  /** Where the view is to be found as long as the viewer runs. */
  address: string;
  /** When it was made, in words. */
  made: string;
  language: string;
  charts: readonly { title: string; svg: string }[];
  /** What the charts show, for programs that read the page. */
  data: unknown;
}

const STYLE = `
body { margin: 24px; color: #26282e; background: #fdfdfd; font: 14px/20px Inter, system-ui, "Noto Sans SC", sans-serif; }
h1 { margin: 0 0 4px; font-size: 20px; line-height: 28px; }
p { margin: 0 0 20px; color: #62666f; overflow-wrap: anywhere; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 560px), 1fr)); gap: 16px; }
figure { margin: 0; border: 1px solid #e3e4e8; border-radius: 6px; overflow: hidden; }
svg { display: block; width: 100%; height: auto; }
`;

/** A page that needs no server and nothing from elsewhere: drawings, and the numbers behind them. */
export function staticPage({ title, address, made, language, charts, data }: StaticPage): string {
  const figures = charts.map((chart) => `<figure aria-label="${escapeXml(chart.title)}">${chart.svg}</figure>`);
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html lang="${escapeXml(language)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeXml(title)}</title>
<style>${STYLE}</style>
<h1>${escapeXml(title)}</h1>
<p>${escapeXml(made)} · ${escapeXml(address)}</p>
<main>
${figures.join("\n")}
</main>
<script type="application/json" id="data">${json}</script>
</html>
`;
}
