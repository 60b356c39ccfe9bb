// SPDX-License-Identifier: Apache-2.0
/** Parts of the page between which F6 jumps, in their order. */
const CHARTS = "main";
const REGIONS = [
  "header:not(main header)",
  "nav:not(main nav)",
  "[data-testid=run-selection]",
  "main [role=toolbar]",
  CHARTS,
  "main aside",
];
const STOPS = "button, input, select, a[href], [tabindex='0']";
/** Where the keys are wanted among the content: at a chart or a table, but not one of a preview, rather than at buttons. */
const CHART = "[data-testid=chart], [role=application], [role=group][tabindex='0'], [data-testid=parallel-coordinates] *";
const CONTENT = `${CHART}, [role=region][tabindex='0']:not(article *)`;

/** Focuses the first control in sight of the next region, or of the one before; a chart where there is one. */
export function jumpToRegion(isBack: boolean): void {
  const stops = REGIONS.map(firstStop);
  const at = regionOf(document.activeElement);
  const direction = isBack ? -1 : 1;
  for (let step = 1; step <= stops.length; step++) {
    const next = stops[(at + direction * step + 2 * stops.length + (at < 0 && isBack ? 1 : 0)) % stops.length];
    if (next) return next.focus();
  }
}

/** Focuses the first chart or table in sight, or else the first control after the toolbars. */
export function focusCharts(): void {
  firstStop(CHARTS)?.focus();
}

/** The charts region is the rest of the main part, after its other regions. */
function regionOf(element: Element | null): number {
  const isIn = (region: string): boolean => element?.closest(region) != null;
  const inside = REGIONS.findIndex((region) => region !== CHARTS && isIn(region));
  return inside < 0 && isIn(CHARTS) ? REGIONS.indexOf(CHARTS) : inside;
}

function firstStop(region: string): HTMLElement | null {
  const isContent = region === CHARTS;
  const found = [...document.querySelectorAll<HTMLElement>(`:is(${region}) :is(${STOPS})`)].filter(isInSight);
  if (!isContent) return found[0] ?? null;
  const content = found.filter((stop) => !stop.closest("[role=toolbar], main aside"));
  return content.find((stop) => stop.matches(CONTENT)) ?? content[0] ?? null;
}

function isInSight(stop: HTMLElement): boolean {
  if (stop.tabIndex < 0 || !stop.checkVisibility({ visibilityProperty: true }) || stop.closest("[popover], [inert], .skip")) return false;
  const { top, bottom, right } = stop.getBoundingClientRect();
  return bottom > 0 && right > 0 && top < window.innerHeight;
}
