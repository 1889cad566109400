// Each contract is run against a broken subject, to prove that it finds the fault.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cli } from '../../kinds/cli/kind.ts';
import { createTestEmbedder } from '../../vectors/test-embedder.ts';
import { toOpenAITools } from '../../export/openai.ts';
import { createMemoryStore } from '../../knowledge/stores/sqlite/sqlite-store.ts';
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
    ['deletes nothing', () => ({ delete: async () => 0 }), 'documents are deleted by filter'],
    [
      'ignores filters',
      (store) => ({ search: (name, request) => store.search(name, { ...request, filter: {} }) }),
      'filters select a type',
    ],
    [
      'throws other errors than ToolError',
      () => ({ stats: () => Promise.reject(new Error('gone')) }),
      'unknown collections are reported with the existing ones',
    ],
    [
      'ignores limits',
      (store) => ({ search: (name, request) => store.search(name, { ...request, limit: 5 }) }),
      'a search respects its limit',
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
    'returns a unit vector for each text, in order, all of one dimension: the length of a vector is one',
    'does nothing once its signal has aborted: should reject with the reason of its signal; it went on',
  ]);
});

it('finds an exporter that gives two tools the same name, or loses arguments', async () => {
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
  expect(failures[0]).toMatch(/^gives distinct names that the provider accepts.*: no two alike: plain, /);
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
    'maps names and arguments back, and keeps unknown names',
    'marks arguments that are not an object, and still reads the next call',
    'returns no calls for junk, without throwing',
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
    'returns a failure as a result with a code, never as an exception: the call fails: hello',
    'reports the place of a mistake: tools[0].command: the board is refused with a ConfigError: undefined',
    'runs under roots if it declares its paths, and is denied if it does not: the answer has "good morning": hello',
    'describes what a call would do, and does nothing: the call itself leaves a trace: files and acts.trace() are the same after it; give acts.isReading: true if the tools only read',
    'answers from another working folder: the answer has "good morning": hello',
    'finds relative paths of the entry from another working folder: the kind has paths: give relative',
    'keeps its tools when unchanged files are read again: the answer has "good morning": hello',
    'applies changed settings on a reload: the answer has "good morning": hello',
    'stays unchanged when its file is broken: the reload fails',
    expect.stringMatching(
      /^keeps a secret out of results, .*: \[redacted] is in the result in place of the secret; give secret\.isUnseen: true if no answer can show it: /,
    ),
    'has the doctor report what is missing: the kind has a doctor: give missing',
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
