// Each contract gets something broken, to prove that it finds it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cli } from '../../kinds/cli/kind.ts';
import { createTestEmbedder } from '../../vectors/test-embedder.ts';
import { toOpenAITools } from '../../export/openai.ts';
import { createMemoryStore } from '../../knowledge/stores/memory/memory-store.ts';
import type { VectorStore } from '../../knowledge/vector-store.ts';
import { callFormatContract } from './call-format-contract.ts';
import type { ContractCheck } from './contract.ts';
import { embedderContract } from './embedder-contract.ts';
import { exporterContract, type ExporterSubject } from './exporter-contract.ts';
import { defineKind } from '../../kinds/define-kind.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { kindContract } from './kind-contract.ts';
import { vectorStoreContract } from './vector-store-contract.ts';

/** Returns the names of the failing checks, with the reasons. */
async function failuresOf(checks: readonly ContractCheck[]): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, check } of checks) {
    await check().catch((error: Error) => failures.push(`${name}: ${error.message.split('\n')[0]}`));
  }
  return failures;
}

describe('vectorStoreContract', () => {
  const wrongly = (change: (store: VectorStore) => Partial<VectorStore>): Promise<string[]> =>
    failuresOf(
      vectorStoreContract({
        open: async () => {
          const store = createMemoryStore();
          return { ...bind(store), ...change(store) };
        },
      }),
    );

  it('accepts a good store', async () => {
    expect(await wrongly(() => ({}))).toEqual([]);
  });

  it.each<[string, (store: VectorStore) => Partial<VectorStore>, string]>([
    ['forgets nothing', () => ({ delete: async () => 0 }), 'documents are forgotten by filter'],
    [
      'knows no filters',
      (store) => ({ search: (name, request) => store.search(name, { ...request, filter: {} }) }),
      'filters mean a type',
    ],
    [
      'throws what is no ToolError',
      () => ({ stats: () => Promise.reject(new Error('gone')) }),
      'collections that are not there are named with those that are',
    ],
    [
      'takes limits as they come',
      (store) => ({ search: (name, request) => store.search(name, { ...request, limit: 5 }) }),
      'a search gives as many as its limit allows',
    ],
  ])('finds a store that %s', async (_, change, found) => {
    expect((await wrongly(change)).map((failure) => failure.split(':')[0])).toContain(found);
  });
});

/** Returns the store's methods as plain functions. */
function bind(store: VectorStore): VectorStore {
  return {
    driver: store.driver,
    ensureCollection: (...args) => store.ensureCollection(...args),
    collections: () => store.collections(),
    dropCollection: (name) => store.dropCollection(name),
    stats: (name) => store.stats(name),
    upsert: (...args) => store.upsert(...args),
    delete: (...args) => store.delete(...args),
    search: (...args) => store.search(...args),
    chunks: (...args) => store.chunks(...args),
    documents: (...args) => store.documents(...args),
    read: (...args) => store.read(...args),
    close: () => store.close(),
  };
}

it('finds an embedder whose vectors are not of unit length, and one that cannot be stopped', async () => {
  const inner = createTestEmbedder();
  const open = () => ({
    ...inner,
    embed: async (texts: readonly string[]) =>
      (await inner.embed(texts)).map((vector) => vector.map((number) => number * 2)),
  });
  expect(await failuresOf(embedderContract({ open }))).toEqual([
    'gives a vector of length one for each text, in order, all of one dimension: the length of a vector is one',
    'does nothing once its signal has aborted: should reject with the reason of its signal; it went on',
  ]);
});

it('finds an exporter that gives two tools one name, or loses arguments', async () => {
  const subject: ExporterSubject<ReturnType<typeof toOpenAITools>> = {
    export: (board) => toOpenAITools(board),
    read: ({ tools }) =>
      tools.map(({ function: { name, description, parameters } }) => ({
        name: name.toLowerCase().replaceAll('-', '_'),
        description,
        schema: parameters,
      })),
    call: ({ exported, registry, name }) => registry.call(exported.restore(name, {}).name, {}),
    names: /^[a-z_]+$/,
  };
  const failures = await failuresOf(exporterContract(subject));
  expect(failures[0]).toMatch(/^gives names the provider takes, each its own.*: no two alike: plain, /);
  expect(failures).toHaveLength(5);
});

it('finds a parser that drops calls with bad arguments', async () => {
  const failures = await failuresOf(
    callFormatContract({
      write: (calls) => calls,
      parse: (response) =>
        (Array.isArray(response) ? response : []).flatMap(({ id, name, args = {} }) =>
          typeof args === 'object' && !Array.isArray(args) ? [{ id, name, input: args }] : [],
        ),
      answer: () => [],
    }),
  );
  expect(failures.map((failure) => failure.split(':')[0])).toEqual([
    'maps names and arguments back, and leaves unknown names alone',
    'marks arguments that are no object, and still reads the call after them',
    'gives no calls for junk, without throwing',
    'refuses to answer when calls and results differ in number',
  ]);
});

it('finds a kind with a wrong answer, and mistakes without a message', async () => {
  const board = 'tools:\n  - { name: greet, type: cli, description: Greet, command: echo hello }\n';
  const failures = await failuresOf(
    kindContract({
      kind: cli,
      board,
      tool: 'greet',
      input: {},
      answer: 'good morning',
      wrong: { loud: true },
      failing: { input: {} },
      broken: [{ board: 'tools: []\n', path: 'tools[0].command' }],
      acts: { input: {} },
      changed: { board, answer: 'good evening' },
      secret: { board },
    }),
  );
  expect(failures).toEqual([
    'answers a good call, and several at once: the answer has "good morning": hello',
    'gives a failure as a result with a code, never as an exception: the call fails: hello',
    'says where a mistake is: tools[0].command: the board is refused with a ConfigError: undefined',
    'passes under roots if it tells its paths, and is refused if it does not: the answer has "good morning": hello',
    'tells what a call would do, and does nothing: the call itself leaves a trace: files and acts.trace() are the same after it; give acts.isReading: true if the tools only read',
    'answers from another working folder: the answer has "good morning": hello',
    'finds relative paths of the entry from another working folder: the kind has paths: give relative',
    'keeps its tools when its files are read again and say the same: the answer has "good morning": hello',
    'takes up changed settings with a reload: the answer has "good morning": hello',
    'stays as it is when its file is broken: the reload fails',
    expect.stringMatching(
      /^keeps a secret out of results, .*: \[redacted] is in the result in place of the secret; give secret\.isUnseen: true if no answer can show it: /,
    ),
    'has the doctor say what is missing: the kind has a doctor: give missing',
  ]);
});

it('accepts a read-only kind of code', async () => {
  const jsonFile = defineKind({
    type: 'json-file',
    schema: z.object({ file: z.string() }),
    paths: ['file'],
    guessRisk: () => 'read',
    tools: ({ metadata, settings: { file } }) => [
      defineTool({ ...metadata, schema: z.object({}), execute: () => readFileSync(file, 'utf8') }),
    ],
    pathArguments: () => ({ names: [], folders: () => [] }),
    dryRun: ({ entry: { settings } }) => [{ type: 'action', title: `read ${settings.file}` }],
  });
  const board = 'tools:\n  - { name: prices, type: json-file, description: Prices, file: data/prices.json }\n';
  const checks = kindContract({
    kind: jsonFile,
    board,
    files: { 'data/prices.json': '{"bundt":4}', 'data/other.json': '{"bundt":7}' },
    tool: 'prices',
    input: {},
    answer: '4',
    broken: [{ board: board.replace(', file: data/prices.json', ''), path: 'tools[0].file' }],
    acts: { input: {}, isReading: true },
    relative: { board, answer: '4' },
    changed: { board: board.replace('prices.json', 'other.json'), answer: '7' },
    secret: { board: board.replace('Prices', "'Prices of ${KIND_TOKEN}'"), isUnseen: true },
  });
  expect(await failuresOf(checks)).toEqual([]);
});
