// Draws what `npm start` prints as docs/board.svg, the picture in the README.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const LINE_HEIGHT = 18;
const CHARACTER_WIDTH = 8.05;
const COLOURS: Readonly<Record<string, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b949e',
  2: '#8b949e',
  1: '#ffffff',
};

// oxlint-disable-next-line no-control-regex -- terminal colours begin with a control character
const COLOUR_CODE = /(\u001B\[[0-9;]*m)/;

const output = execFileSync(process.execPath, ['examples/board.ts'], {
  encoding: 'utf8',
  env: { ...process.env, FORCE_COLOR: '1', NO_COLOR: undefined },
});
const lines = ['$ npm start', ...output.split('\n')];
const shown = lines.slice(
  0,
  lines.findIndex((line) => stripVTControlCharacters(line).startsWith('What the audit')),
);
const width = Math.ceil(Math.max(...shown.map((line) => stripVTControlCharacters(line).length)) * CHARACTER_WIDTH) + 40;
const height = shown.length * LINE_HEIGHT + 40;

const rows = shown.map((line, index) => `<text x="20" y="${34 + index * LINE_HEIGHT}">${drawLine(line)}</text>`);
writeFileSync(
  process.argv[2] ?? 'docs/board.svg',
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="What npm start prints">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13.4" fill="#c9d1d9" xml:space="preserve">
${rows.join('\n')}
</g>
</svg>
`,
);

/** Turns a line with terminal colours into coloured spans. */
function drawLine(line: string): string {
  let colour: string | undefined;
  return line
    .split(COLOUR_CODE)
    .map((part) => {
      const codes = part.startsWith('\u001B[') ? part.slice(2, -1) : undefined;
      if (codes === undefined)
        return colour === undefined ? escape(part) : `<tspan fill="${colour}">${escape(part)}</tspan>`;
      colour = codes
        .split(';')
        .map((code) => COLOURS[code])
        .findLast((known) => known !== undefined);
      return '';
    })
    .join('');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00A0');
}
