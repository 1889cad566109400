// Measures the cost of a call through a board to a server, against the server itself and other gateways.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStdioCaller, type StdioCaller } from './gateway/stdio-caller.ts';
import { type Bar, formatFigure, publish } from './report.ts';
import { measureInRounds, medianOf, ratioOf, type Subject } from './rounds.ts';

const ROUNDS = 40;
const CALLS = 150;
const WARM_UP = 1500;
const DIRECT = 'the server itself';
const BARE = 'a gateway that passes bytes on';
const OURS = 'pegboard serve';
const OFFICIAL = 'official server + client';
/** The most a call may take, as a multiple of one whose bytes are passed on unread. */
const MOST = 1.5;

const here = (file: string): string => join(import.meta.dirname, file);
const server = here('gateway/raw-server.ts');
const folder = mkdtempSync(join(tmpdir(), 'pegboard-gateway-'));
const config = join(folder, 'pegboard.yaml');
writeFileSync(
  config,
  JSON.stringify({ mcpServers: { raw: { command: process.execPath, args: [server], prefix: '' } } }),
);

const callers: (readonly [string, StdioCaller])[] = [
  [DIRECT, await createStdioCaller([server], 'echo')],
  [BARE, await createStdioCaller([here('gateway/bare-gateway.ts'), server], 'echo')],
  [OURS, await createStdioCaller([here('../dist/cli.js'), 'serve', config], 'echo', { cwd: folder })],
  [OFFICIAL, await createStdioCaller([here('gateway/official-gateway.ts'), server], 'echo')],
];
for (const [, caller] of callers) for (let call = 0; call < WARM_UP; call++) await caller.call();
const subjects: Subject[] = callers.map(([name, caller]) => ({ name, measure: () => medianCall(caller) }));
const timings = await measureInRounds(subjects, ROUNDS);
for (const [, caller] of callers) caller.close();
rmSync(folder, { recursive: true, force: true });

const ratio = ratioOf(timings, OURS, OFFICIAL);
const bareRatio = ratioOf(timings, OURS, BARE);
const bars: Bar[] = [
  {
    promise: 'a call through a board takes less than through official server + client (p50)',
    measured: `${ratio.toFixed(2)} ×`,
    passed: ratio < 1,
  },
  {
    promise: `a call through a board takes at most ${MOST} × of one through ${BARE} (p50)`,
    measured: `${bareRatio.toFixed(2)} ×`,
    passed: bareRatio <= MOST,
  },
];
publish({
  name: 'gateway',
  tables: [
    {
      caption: 'One call over stdio, p50:',
      head: ['Way', 'µs per call', `× ${OFFICIAL}`, `× ${BARE}`],
      rows: callers.map(([name]) => [
        name,
        formatFigure(medianOf(timings, name)),
        ratioOf(timings, name, OFFICIAL).toFixed(2),
        ratioOf(timings, name, BARE).toFixed(2),
      ]),
    },
  ],
  bars,
});

/** The middle of many calls, one after the other. */
async function medianCall(caller: StdioCaller): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < CALLS; call++) times.push(await caller.call());
  return times.toSorted((a, b) => a - b)[CALLS >> 1] ?? 0;
}
