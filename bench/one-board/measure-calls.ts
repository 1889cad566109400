import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createStdioCaller, type StdioCaller } from '../gateway/stdio-caller.ts';
import { atMost, formatFigure } from '../report.ts';
import { measureInRounds, medianOf, ratioOf, type Subject } from '../rounds.ts';
import { BenchMachine } from './bench-machine.ts';
import type { BenchPart } from './bench-part.ts';

const ROUNDS = 40;
const CALLS = 150;
const WARM_UP = 1_500;
const here = (file: string): string => join(import.meta.dirname, file);

const DIRECT = 'the server itself';
const GATEWAY = 'a process that passes bytes';
const PAIR = 'two processes that pass bytes';
const RECORDED = 'board in one process';
const UNRECORDED = 'board in one process, record: off';
const SHARED = 'front and board';
const SHARED_UNRECORDED = 'front and board, record: off';

/** Measures calls of a server's tool through boards, fronts and processes that only pass bytes. */
export async function measureCalls(): Promise<BenchPart> {
  const machine = new BenchMachine();
  const server = here('../gateway/raw-server.ts');
  const mcpServers = { raw: { command: process.execPath, args: [server], prefix: '', env: { MARK: machine.folder } } };
  const recorded = machine.write('recorded', { mcpServers });
  const unrecorded = machine.write('unrecorded', { mcpServers, record: 'off' });
  const socket = join(machine.folder, 'pair');
  const pair = spawn(process.execPath, [here('pass-bytes.ts'), 'board', socket, server], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(pair.stdout, 'data');
  const { env } = machine;
  const open = (args: readonly string[], cwd = machine.folder): Promise<StdioCaller> =>
    createStdioCaller(args, 'echo', { cwd, env });
  const serve = machine.command('serve');
  const callers: (readonly [string, StdioCaller])[] = [
    [DIRECT, await open([server])],
    [GATEWAY, await open([here('../gateway/bare-gateway.ts'), server])],
    [RECORDED, await open([...serve, '--standalone'], recorded)],
    [UNRECORDED, await open([...serve, '--standalone'], unrecorded)],
    [PAIR, await open([here('pass-bytes.ts'), 'front', socket])],
    [SHARED, await open(serve, recorded)],
    [SHARED_UNRECORDED, await open(serve, unrecorded)],
  ];
  for (const [, caller] of callers) for (let call = 0; call < WARM_UP; call++) await caller.call();
  const subjects = callers.map(([name, caller]): Subject => ({ name, measure: () => medianCall(caller) }));
  const timings = await measureInRounds(subjects, ROUNDS);
  for (const [, caller] of callers) caller.close();
  await once(pair, 'exit');
  rmSync(socket, { force: true });
  await machine.close();
  const limits = [
    [SHARED, PAIR, 1.5],
    [RECORDED, GATEWAY, 1.4],
    [UNRECORDED, GATEWAY, 1.25],
  ] as const;
  return {
    table: {
      caption: 'One call of a tool of a server, p50:',
      head: ['Way', 'µs', `× ${GATEWAY}`, `× ${PAIR}`],
      rows: callers.map(([name]) => [
        name,
        formatFigure(medianOf(timings, name)),
        ratioOf(timings, name, GATEWAY).toFixed(2),
        ratioOf(timings, name, PAIR).toFixed(2),
      ]),
    },
    bars: limits.map(([name, base, limit]) =>
      atMost(`a call by ${name} takes at most ${limit} × ${base} (p50)`, ratioOf(timings, name, base), {
        limit,
        unit: '×',
      }),
    ),
  };
}

/** The middle of many calls, one after the other. */
async function medianCall(caller: StdioCaller): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < CALLS; call++) times.push(await caller.call());
  return times.toSorted((a, b) => a - b)[CALLS >> 1] ?? 0;
}
