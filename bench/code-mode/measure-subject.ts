// One way to run programs, in a process of its own: its first program, a further one, and a call from a program.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileModule } from '../../src/platform/wasm/open-kernel.ts';
import { loadBuilt } from '../load-built.ts';
import type { SubjectFigures } from './compare-subjects.ts';

/** Runs a program, the body of an async function. `call` is how one calls the function that adds one. */
interface Subject {
  readonly call: string;
  run(body: string): Promise<unknown>;
}

const CALLS = 200;
const add = ({ n }: { readonly n: number }): { readonly n: number } => ({ n: n + 1 });
const folder = mkdtempSync(join(tmpdir(), 'pegboard-bench-subject-'));

const SUBJECTS: Readonly<Record<string, () => Promise<Subject>>> = {
  async pegboard() {
    const [{ defineTool, openBoard }, { runCode }] = [await loadBuilt('index'), await loadBuilt('code')];
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
    const tools = [defineTool({ name: 'add', description: 'Adds one.', risk: 'read', schema, execute: add })];
    const board = await openBoard({ data: folder, tools });
    return {
      call: 'await tools.add({ n })',
      async run(body) {
        const result = await runCode(board, body);
        if (!result.ok) throw result.error;
        return result.value;
      },
    };
  },
  async 'ai-sdk'() {
    const { experimental_runCodeMode: runCodeMode } = await import('@ai-sdk/code-mode');
    const { tool } = await import('ai');
    const { z } = await import('zod');
    const tools = { add: tool({ description: 'Adds one.', inputSchema: z.object({ n: z.number() }), execute: add }) };
    const options = { executionPolicy: { maxBridgeRequests: 10_000, timeoutMs: 60_000 } };
    return { call: 'await tools.add({ n })', run: (js) => runCodeMode({ js, tools, options }) };
  },
  async utcp() {
    const { CodeModeUtcpClient } = await import('@utcp/code-mode');
    const { addFunctionToUtcpDirectCall } = await import('@utcp/direct-call');
    const inputs = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const template = { call_template_type: 'direct-call', callable_name: 'add' };
    addFunctionToUtcpDirectCall('manual', async () => ({
      utcp_version: '1.0.0',
      tools: [{ name: 'add', description: 'Adds one.', inputs, tool_call_template: template }],
    }));
    addFunctionToUtcpDirectCall('add', async (given: unknown) =>
      add(typeof given === 'number' ? { n: given } : (given as { n: number })),
    );
    const client = await CodeModeUtcpClient.create();
    await client.registerManual({ name: 'bench', call_template_type: 'direct-call', callable_name: 'manual' });
    return {
      call: 'bench.add({ n })',
      run: async (body) => (await client.callToolChain(body, 60_000)).result,
    };
  },
  async run() {
    const { run } = await import('run');
    return {
      call: 'await tools.add({ n })',
      run: async (source) => (await run({ source, hostFunctions: { tools: { add } }, maxHostCalls: 10_000 })).value,
    };
  },
  async 'quickjs-wasi'() {
    const { QuickJS } = await import('quickjs-wasi');
    const file = fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm'));
    const wasm = await compileModule(readFileSync(file));
    return {
      call: 'add(n)',
      async run(body) {
        const vm = await QuickJS.create({ wasm });
        vm.newFunction('add', (handle) => vm.newNumber(handle.toNumber() + 1)).consume((handle) =>
          vm.setProp(vm.global, 'add', handle),
        );
        return vm.evalCode(`(() => { ${body} })()`).consume((handle) => handle.toNumber());
      },
    };
  },
  async 'quickjs-emscripten'() {
    const { getQuickJS } = await import('quickjs-emscripten');
    const engine = await getQuickJS();
    return {
      call: 'add(n)',
      async run(body) {
        const vm = engine.newContext();
        const handle = vm.newFunction('add', (n: unknown) => vm.newNumber(vm.getNumber(n) + 1));
        vm.setProp(vm.global, 'add', handle);
        handle.dispose();
        const value = vm.unwrapResult(vm.evalCode(`(() => { ${body} })()`));
        const result: unknown = vm.getNumber(value);
        value.dispose();
        vm.dispose();
        return result;
      },
    };
  },
};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  const value = await work();
  if (value !== 1) throw new Error(`The program gave ${JSON.stringify(value)}.`);
  return performance.now() - began;
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

async function measure(name: string): Promise<SubjectFigures> {
  // Loading the package counts: a process that runs one program pays for it.
  const began = performance.now();
  const subject = await SUBJECTS[name]?.();
  if (subject === undefined) throw new Error(`There is no subject "${name}".`);
  await timed(() => subject.run('return 1;'));
  const first = performance.now() - began;
  const empty: number[] = [];
  const calling: number[] = [];
  const loop = `let last = 0; for (let n = 0; n < ${CALLS}; n++) last = ${subject.call}; return 1;`;
  for (let round = 0; round < 15; round++) empty.push(await timed(() => subject.run('return 1;')));
  for (let round = 0; round < 5; round++) calling.push(await timed(() => subject.run(loop)));
  return { first, next: median(empty), call: ((median(calling) - median(empty)) * 1_000) / CALLS };
}

const [, , name = ''] = process.argv;
try {
  process.send?.(await measure(name));
} finally {
  rmSync(folder, { recursive: true, force: true });
  process.disconnect?.();
}
// Some of the subjects keep their threads.
process.exit(0);
