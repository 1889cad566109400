/** One bar of the chart. */
interface ChartRow {
  readonly name: string;
  readonly nanoseconds: number;
  readonly isOurs: boolean;
}

const WIDTH = 800;
const LEFT = 290;
const RIGHT = 70;
const TOP = 48;
const ROW = 26;
/** Colours and letters of every chart, for light and dark pages. */
export const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #1f2328; }
    .page { fill: #ffffff; }
    .title { font-weight: 600; font-size: 15px; }
    .tick { font-size: 11px; fill: #656d76; }
    .grid { stroke: #d1d9e0; }
    .other { fill: #8c959f; }
    .ours { fill: #0969da; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; }
      text { fill: #e6edf3; }
      .tick { fill: #8d96a0; }
      .grid { stroke: #30363d; }
      .other { fill: #6e7681; }
      .ours { fill: #4493f8; }
    }`;

/** Draws the cost of a call as bars on a logarithmic scale, as SVG for light and dark pages. */
export function drawChart(rows: readonly ChartRow[]): string {
  const costs = rows.map(({ nanoseconds }) => nanoseconds);
  const lowest = Math.floor(Math.log10(Math.min(...costs)));
  const highest = Math.ceil(Math.log10(Math.max(...costs)));
  const toX = (nanoseconds: number): number =>
    Math.round(LEFT + ((Math.log10(nanoseconds) - lowest) / (highest - lowest)) * (WIDTH - LEFT - RIGHT));
  const bottom = TOP + rows.length * ROW;
  const ticks = Array.from({ length: highest - lowest + 1 }, (_, index) => 10 ** (lowest + index));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 32}" role="img" aria-label="Cost of one tool call">`,
    `  <style>${STYLE}\n  </style>`,
    `  <rect class="page" width="100%" height="100%" rx="6" />`,
    `  <text class="title" x="12" y="24">One tool call, logarithmic scale: shorter is faster</text>`,
    ...ticks.flatMap((tick) => drawTick(tick, toX(tick), bottom)),
    ...rows.flatMap((row, index) => drawRow(row, TOP + index * ROW, toX(row.nanoseconds))),
    '</svg>',
    '',
  ].join('\n');
}

function drawTick(nanoseconds: number, x: number, bottom: number): string[] {
  return [
    `  <line class="grid" x1="${x}" x2="${x}" y1="${TOP - 6}" y2="${bottom}" />`,
    `  <text class="tick" x="${x}" y="${bottom + 18}" text-anchor="middle">${showTime(nanoseconds)}</text>`,
  ];
}

function drawRow({ name, nanoseconds, isOurs }: ChartRow, y: number, x: number): string[] {
  return [
    `  <text x="${LEFT - 8}" y="${y + 15}" text-anchor="end">${name}</text>`,
    `  <rect class="${isOurs ? 'ours' : 'other'}" x="${LEFT}" y="${y + 2}" width="${x - LEFT}" height="${ROW - 8}" rx="2" />`,
    `  <text x="${x + 6}" y="${y + 15}">${showTime(nanoseconds)}</text>`,
  ];
}

function showTime(nanoseconds: number): string {
  return nanoseconds < 1000 ? `${Math.round(nanoseconds)} ns` : `${Number((nanoseconds / 1000).toPrecision(2))} µs`;
}
