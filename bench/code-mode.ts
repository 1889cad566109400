// What code mode saves: twelve tasks by direct calls, by discovery and by programs, with a scripted model. And what a program costs.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createCodeTools, toTarget } from '../src/code/code-tools.ts';
import { createDiscoveryTools } from '../src/discovery/meta-tools/create-discovery-tools.ts';
import { type Board, defineTool, openBoard, type Tool, toOpenAITools } from '../src/index.ts';
import { resumeCode, runCode } from '../src/code.ts';
import { compareSubjects } from './code-mode/compare-subjects.ts';
import { makeBoard } from './code-mode/make-board.ts';
import { type AskedCall, type Task, TASKS } from './code-mode/tasks.ts';
import { atLeast, atMost, type Bar, formatFigure, publish, type Table } from './report.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-bench-code-'));

/** What one way of doing a task cost. */
interface Cost {
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly rounds: number;
  /** Characters of results that the model read. */
  readonly bytes: number;
  readonly answer: unknown;
}

/** A conversation with a model whose every request has the definitions and all that was said. */
class Conversation {
  readonly #definitions: number;
  readonly #run: (call: AskedCall) => Promise<string>;
  #said: number;
  #tokensIn = 0;
  #tokensOut = 0;
  #rounds = 0;
  #bytes = 0;

  constructor(tools: readonly Tool[], prompt: string, run: (call: AskedCall) => Promise<string>) {
    this.#definitions = countTokens(JSON.stringify(toOpenAITools(tools).tools));
    this.#said = countTokens(prompt);
    this.#run = run;
  }

  async round(calls: readonly AskedCall[]): Promise<string[]> {
    this.#ask(JSON.stringify(calls));
    const texts = await Promise.all(calls.map((call) => this.#run(call)));
    for (const text of texts) {
      this.#said += countTokens(text);
      this.#bytes += Buffer.byteLength(text);
    }
    return texts;
  }

  end(answer: unknown): Cost {
    this.#ask(JSON.stringify(answer) ?? '');
    return { tokensIn: this.#tokensIn, tokensOut: this.#tokensOut, rounds: this.#rounds, bytes: this.#bytes, answer };
  }

  #ask(reply: string): void {
    this.#rounds++;
    this.#tokensIn += this.#definitions + this.#said;
    const tokens = countTokens(reply);
    this.#tokensOut += tokens;
    this.#said += tokens;
  }
}

async function textOf(board: Board, { name, input }: AskedCall, tools: readonly Tool[] = []): Promise<string> {
  const own = tools.find(({ metadata }) => metadata.name === name);
  const result = own === undefined ? await board.call(name, input) : await board.executor.execute(own, input);
  if (!result.ok) throw new Error(`${name}: ${result.error.message}`);
  return result.text;
}

async function measure(board: Board, task: Task): Promise<Readonly<Record<'direct' | 'discovery' | 'code', Cost>>> {
  const { registry, index } = board;
  const direct = new Conversation(registry.getAll(), task.name, (call) => textOf(board, call));
  const directCost = direct.end(await task.direct((calls) => direct.round(calls)));
  const finders = createDiscoveryTools({ registry, index });
  const discovery = new Conversation(finders, task.name, (call) => textOf(board, call, finders));
  await discovery.round([{ name: 'search_tools', input: { queries: task.queries } }]);
  const through = (calls: readonly AskedCall[]): Promise<string[]> =>
    discovery.round(calls.map(({ name, input }) => ({ name: 'call_tool', input: { name, arguments: input } })));
  const discoveryCost = discovery.end(await task.direct(through));
  const pair = createCodeTools(toTarget(board, { registry, index }));
  const code = new Conversation(pair, task.name, (call) => textOf(board, call, pair));
  await code.round([{ name: 'search_tools', input: { queries: task.queries } }]);
  const [text = ''] = await code.round([{ name: 'run_code', input: { code: task.code } }]);
  const codeCost = code.end(parse(text));
  if (
    !isDeepStrictEqual(codeCost.answer, directCost.answer) ||
    !isDeepStrictEqual(codeCost.answer, discoveryCost.answer)
  )
    throw new Error(`${task.name}: ${JSON.stringify([directCost.answer, codeCost.answer])}`);
  return { direct: directCost, discovery: discoveryCost, code: codeCost };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const whole = ({ tokensIn, tokensOut }: Cost): number => tokensIn + tokensOut;
const count = (value: number): string => value.toLocaleString('en-US');

async function measureTasks(): Promise<{ readonly table: Table; readonly bars: readonly Bar[] }> {
  const made = await makeBoard(folder);
  const { board } = made;
  try {
    const rows: string[][] = [];
    const sums = { direct: 0, discovery: 0, code: 0 };
    let worst = 0;
    for (const task of TASKS) {
      const { direct, discovery, code } = await measure(board, task);
      if (task.passesData) {
        sums.direct += whole(direct);
        sums.discovery += whole(discovery);
        sums.code += whole(code);
      }
      worst = Math.max(worst, whole(code) / whole(discovery));
      rows.push([
        task.name,
        ...[direct, discovery, code].map((cost) => `${count(cost.tokensIn)} / ${count(cost.tokensOut)}`),
        [direct, discovery, code].map(({ rounds }) => rounds).join(' / '),
        [direct, discovery, code].map(({ bytes }) => count(bytes)).join(' / '),
      ]);
    }
    return {
      table: {
        caption: `Tokens in / out of a model (o200k), requests and bytes of results, over ${board.registry.size} tools:`,
        head: ['Task', 'Direct', 'Discovery', 'Code', 'Requests', 'Bytes'],
        rows,
      },
      bars: [
        atLeast('tasks that pass data: fewer tokens than direct calls', sums.direct / sums.code, {
          limit: 10,
          unit: '×',
        }),
        atMost('no task needs more tokens than by discovery', worst, { limit: 1, unit: '×' }),
      ],
    };
  } finally {
    await made.close();
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** What a program and a call from it cost, and what 100 that wait take. */
async function measureCosts(): Promise<{ readonly table: Table; readonly bars: readonly Bar[] }> {
  const data = join(folder, 'costs');
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
  const add = defineTool({
    name: 'add',
    description: 'Adds one.',
    risk: 'read',
    schema,
    execute: ({ n }) => ({ n: n + 1 }),
  });
  const send = defineTool({ name: 'send', description: 'Sends.', risk: 'write', schema, execute: ({ n }) => ({ n }) });
  const board = await openBoard({
    data,
    tools: [add, send],
    policy: { approval: { global: 'none', tools: { send: true } } },
  });
  try {
    const first = await timed(() => runCode(board, 'return 1'));
    const starts: number[] = [];
    for (let round = 0; round < 50; round++) starts.push(await timed(() => runCode(board, 'return 1')));
    const CALLS = 500;
    const loop = (body: string): string => `for (let n = 0; n < ${CALLS}; n++) ${body}; return 1;`;
    const limits = { calls: 10_000 };
    const rounds: { readonly direct: number; readonly bridge: number; readonly code: number }[] = [];
    for (let round = 0; round < 5; round++) {
      const direct = await timed(async () => {
        for (let n = 0; n < CALLS; n++) await board.call('add', { n });
      });
      // The bridge alone: what is answered at once, without the pipeline.
      const bridge = await timed(() => runCode(board, loop(`await outputs.read('').catch(() => 0)`), { limits }));
      const code = await timed(() => runCode(board, loop('await tools.add({ n })'), { limits }));
      rounds.push({ direct, bridge, code });
    }
    const perCall = (key: 'direct' | 'bridge' | 'code'): number =>
      (median(rounds.map((one) => one[key])) * 1_000) / CALLS;
    const before = sizeOf(data);
    const ids: string[] = [];
    for (let n = 0; n < 100; n++)
      ids.push(
        (
          await runCode(
            board,
            `const kept = Array.from({ length: 1000 }, (_, i) => 'row ' + i); return (await tools.send({ n: ${n} })).n + kept.length`,
            { pause: true },
          )
        ).id,
      );
    const size = (sizeOf(data) - before) / 1e6;
    for (const { id } of await board.approvals.list()) await board.approvals.answer(id, { allow: true });
    const resumes: number[] = [];
    for (const [n, id] of ids.entries()) {
      const result = { value: undefined as unknown };
      resumes.push(await timed(async () => (result.value = (await resumeCode(board, id)).value)));
      if (result.value !== n + 1000) throw new Error(`Program ${n} gave ${JSON.stringify(result.value)}.`);
    }
    return {
      table: {
        caption: 'What programs cost in one process:',
        head: ['What', 'Figure'],
        rows: [
          ['the first program of a process, its thread and engine loaded', `${formatFigure(first)} ms`],
          ['a further program', `${formatFigure(median(starts))} ms`],
          ['a call by board.call', `${formatFigure(perCall('direct'))} µs`],
          ['a call from a program', `${formatFigure(perCall('code'))} µs`],
          ['the bridge alone', `${formatFigure(perCall('bridge'))} µs`],
          ['100 programs that wait, in the store', `${formatFigure(size)} MB`],
          ['to go on with one', `${formatFigure(median(resumes))} ms`],
        ],
      },
      bars: [
        atMost('a program runs, its thread ready', median(starts), { limit: 25, unit: 'ms' }),
        atMost(
          'a call from a program over twice board.call and the bridge',
          perCall('code') / (2 * perCall('direct') + perCall('bridge')),
          {
            limit: 1,
            unit: '×',
          },
        ),
        atMost('100 programs that wait', size, { limit: 30, unit: 'MB' }),
      ],
    };
  } finally {
    await board.close();
  }
}

function sizeOf(path: string): number {
  const info = statSync(path);
  return info.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0) : info.size;
}

try {
  // Before anything else has run a program.
  const costs = await measureCosts();
  const tasks = await measureTasks();
  publish({
    name: 'code-mode',
    tables: [tasks.table, costs.table, await compareSubjects()],
    bars: [...tasks.bars, ...costs.bars],
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
