import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toAnthropicTools } from '../../export/anthropic.ts';
import { toGeminiTools } from '../../export/gemini.ts';
import { toMcpTools } from '../../export/mcp.ts';
import { toOpenAITools } from '../../export/openai.ts';
import { ConfigError } from '../../load/diagnostics/diagnostic.ts';
import { formatPath } from '../../tool/texts/explain-issues.ts';
import { TOOL_ERROR_CODES } from '../../tool/tool-error.ts';
import { type ContractCheck, expectSame, expectTrue } from './contract.ts';
import { kindDoctor, kindDryRun, kindRoots, kindSecrets } from './kind-guards.ts';
import {
  expectAnswer,
  expectFailed,
  inFolder,
  type KindSample,
  type KindSubject,
  make,
  onBoard,
  useBoard,
} from './kind-subject.ts';

/**
 * Returns the checks that every kind of config entry must pass: calls, mistakes, path limits, dry runs, relative paths,
 * reloads, secrets and the doctor. Anything that a kind leaves out must fail closed.
 *
 * @example
 * import { test } from 'node:test';
 * import { kindContract, type KindSubject } from 'pegboard/testing';
 * export function testKind(subject: KindSubject): void {
 *   for (const { name, check } of kindContract(subject)) test(name, check);
 * }
 */
export function kindContract(subject: KindSubject): ContractCheck[] {
  return [
    ...kindCalls(subject),
    ...kindMistakes(subject),
    ...kindRoots(subject),
    ...kindDryRun(subject),
    ...kindFolders(subject),
    ...kindReload(subject),
    ...kindSecrets(subject),
    ...kindDoctor(subject),
  ];
}

function kindCalls(subject: KindSubject): ContractCheck[] {
  const { tool, input, answer, wrong, failing, slow } = subject;
  return [
    onBoard('creates tools that every model and client accepts', { subject }, async ({ registry }) => {
      const made = registry.get(tool);
      expectTrue(made !== undefined, `there is "${tool}" among: ${registry.names().join(', ')}`);
      expectTrue(made.metadata.description.trim() !== '', 'it says what it is for');
      expectSame(made.inputSchema['type'], 'object', 'its arguments are an object');
      for (const convert of [toOpenAITools, toAnthropicTools, toGeminiTools, toMcpTools]) {
        const { tools, report } = convert(registry.only([tool]));
        expectSame(tools.length, 1, `every provider takes it: ${String(report)}`);
      }
    }),
    onBoard('answers a good call, and several at once', { subject }, async (board) => {
      expectAnswer(await board.call(tool, input), answer);
      const results = await Promise.all(Array.from({ length: 4 }, () => board.call(tool, input)));
      for (const result of results) expectAnswer(result, answer);
    }),
    ...(wrong === undefined
      ? []
      : [
          onBoard('rejects invalid arguments, and names them', { subject }, async (board) => {
            const { error } = expectFailed(await board.call(tool, wrong), ['invalid_arguments']);
            expectTrue(error.issues.length > 0, 'every issue is listed');
            expectSame(error.toolName, tool);
          }),
        ]),
    ...(failing === undefined
      ? []
      : [
          onBoard('returns a failure as a result with a code, never as an exception', { subject }, async (board) => {
            const { error, text } = expectFailed(await make(board, subject, failing), TOOL_ERROR_CODES);
            expectTrue(error.code !== 'invalid_arguments', `the call was a good one: ${text}`);
            expectSame(error.toolName, failing.tool ?? tool);
          }),
        ]),
    ...(slow === undefined
      ? []
      : [
          onBoard('stops when its caller cancels', { subject }, async (board) => {
            const stop = new AbortController();
            const call = board.call(slow.tool ?? tool, slow.input, { signal: stop.signal });
            setImmediate(() => stop.abort());
            expectFailed(await call, ['cancelled']);
          }),
          onBoard('stops at its timeout', { subject }, async (board) => {
            expectFailed(await board.call(slow.tool ?? tool, slow.input, { timeout: 100 }), ['timeout']);
          }),
        ]),
  ];
}

/** Checks that mistakes of an entry are reported with their place. */
function kindMistakes(subject: KindSubject): ContractCheck[] {
  return subject.broken.map(({ board, path }) =>
    inFolder(`reports the place of a mistake: ${path}`, { subject, board }, async (folder) => {
      const thrown = await folder.open().then(
        async (opened) => opened.close(),
        (error: unknown) => error,
      );
      expectTrue(thrown instanceof ConfigError, `the board is refused with a ConfigError: ${String(thrown)}`);
      const faults = thrown.diagnostics;
      const fault = faults.find((candidate) => formatPath(candidate.path) === path);
      const places = faults.map((candidate) => formatPath(candidate.path)).join(', ');
      expectTrue(fault !== undefined, `a fault at ${path}; there are faults at: ${places}`);
      expectTrue((fault.place?.line ?? 0) > 0, 'with its line and column');
    }),
  );
}

/** Checks that a board works the same from every working folder. */
function kindFolders(subject: KindSubject): ContractCheck[] {
  const { kind, input, relative } = subject;
  const fromElsewhere = (name: string, sample: KindSample | undefined): ContractCheck =>
    inFolder(name, { subject, board: sample?.board }, async (folder) => {
      expectTrue(sample !== undefined, 'the kind has paths: give relative');
      const elsewhere = mkdtempSync(join(tmpdir(), 'pegboard-elsewhere-'));
      try {
        await useBoard(await folder.open({ cwd: elsewhere }), async (board) => {
          expectAnswer(await make(board, subject, { input, ...sample }), sample.answer);
        });
      } finally {
        rmSync(elsewhere, { recursive: true, force: true });
      }
    });
  return [
    fromElsewhere('answers from another working folder', subject),
    ...(kind.paths.length === 0
      ? []
      : [fromElsewhere('finds relative paths of the entry from another working folder', relative)]),
  ];
}

/** Checks that unchanged tools stay, changes take effect, and a broken file changes nothing. */
function kindReload(subject: KindSubject): ContractCheck[] {
  const { tool, input, answer, changed, broken } = subject;
  return [
    onBoard('keeps its tools when unchanged files are read again', { subject }, async (board) => {
      const before = board.registry.getAll();
      const updated: string[] = [];
      board.registry.on('tool:updated', ({ name }) => updated.push(name));
      expectSame(await board.reload(), { ok: true });
      expectSame(updated, [], 'no tool is reported as changed');
      const isSame = before.every((one) => board.registry.get(one.metadata.name) === one);
      expectTrue(isSame, 'they are the same objects');
      expectAnswer(await board.call(tool, input), answer);
    }),
    onBoard('applies changed settings on a reload', { subject }, async (board, folder) => {
      expectAnswer(await board.call(tool, input), answer);
      folder.write(changed.board);
      expectSame(await board.reload(), { ok: true });
      expectAnswer(await make(board, subject, { input, ...changed }), changed.answer);
    }),
    ...broken.slice(0, 1).map((mistake) =>
      onBoard('stays unchanged when its file is broken', { subject }, async (board, folder) => {
        folder.write(mistake.board);
        const { ok } = await board.reload();
        expectTrue(!ok, 'the reload fails');
        expectAnswer(await board.call(tool, input), answer);
      }),
    ),
  ];
}
