import { STYLE } from '../draw-chart.ts';

const WIDTH = 800;
const LEFT = 190;
const RIGHT = 60;
const TOP = 48;
const ROW = 22;
const GAP = 12;

/** A group of bars: a set, and what each contestant reached on it. */
export interface QualityGroup {
  readonly name: string;
  readonly bars: readonly { readonly name: string; readonly percent: number; readonly isOurs: boolean }[];
}

/** Draws nDCG@10 in percent, a group of bars for each set, as SVG for light and dark pages. */
export function drawQuality(groups: readonly QualityGroup[]): string {
  const toX = (percent: number): number => Math.round(LEFT + (percent / 100) * (WIDTH - LEFT - RIGHT));
  const lines: string[] = [];
  let y = TOP;
  for (const { name, bars } of groups) {
    lines.push(`  <text class="title" x="12" y="${y + 15}">${name}</text>`);
    y += ROW;
    for (const { name: contestant, percent, isOurs } of bars) {
      lines.push(
        `  <text x="${LEFT - 8}" y="${y + 14}" text-anchor="end">${contestant}</text>`,
        `  <rect class="${isOurs ? 'ours' : 'other'}" x="${LEFT}" y="${y + 2}" width="${toX(percent) - LEFT}" height="${ROW - 6}" rx="2" />`,
        `  <text x="${toX(percent) + 6}" y="${y + 14}">${percent.toFixed(1)}</text>`,
      );
      y += ROW;
    }
    y += GAP;
  }
  const grid = [0, 25, 50, 75, 100].map(
    (percent) => `  <line class="grid" x1="${toX(percent)}" x2="${toX(percent)}" y1="${TOP - 6}" y2="${y - GAP}" />`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 8}" role="img" aria-label="nDCG@10 of ranked searches">`,
    `  <style>${STYLE}\n  </style>`,
    `  <rect class="page" width="100%" height="100%" rx="6" />`,
    `  <text class="title" x="12" y="24">nDCG@10 in percent: longer is better</text>`,
    ...grid,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}
