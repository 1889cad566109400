import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Board } from '../../board/open-board.ts';
import { TOOL_ERROR_CODES } from '../../tool/tool-error.ts';
import type { ToolFailure, ToolResult } from '../../tool/tool-result.ts';
import { toAnthropicTools } from '../../export/anthropic.ts';
import { toGeminiTools } from '../../export/gemini.ts';
import { toMcpTools } from '../../export/mcp.ts';
import { toOpenAITools } from '../../export/openai.ts';
import { type ContractCheck, expectSame, expectTrue } from './contract.ts';

type Input = Readonly<Record<string, unknown>>;

/** How a kind of config entry is tried. */
export interface KindSubject {
  /** A board file with an entry of the kind. */
  readonly board: string;
  /** Files beside it, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The tool that is called; its name and a good call. */
  readonly tool: string;
  readonly input: Input;
  /** A text that the answer to it has. */
  readonly answer: string;
  /** Arguments that do not fit; none for a kind whose tools take any arguments. */
  readonly wrong?: Input;
  /** A call whose own work fails. */
  readonly failing?: { readonly tool?: string; readonly input: Input };
  /** A call that runs longer than any check waits. */
  readonly slow?: { readonly tool?: string; readonly input: Input };
  /** Boards with a mistake in an entry of the kind, and where it is: `tools[0].command`. */
  readonly broken: readonly { readonly board: string; readonly path: string }[];
}

/** Everything that a kind of config entry must do. */
export function kindContract(subject: KindSubject): ContractCheck[] {
  const { tool, input, answer, wrong, failing, slow } = subject;
  const using = (name: string, work: (board: Board) => Promise<void>): ContractCheck => ({
    name,
    check: () => inFolder(subject, subject.board, async (open) => useBoard(await open(), work)),
  });
  return [
    using('makes tools that every model and client takes', async ({ registry }) => {
      const made = registry.get(tool);
      expectTrue(made !== undefined, `there is "${tool}" among: ${registry.names().join(', ')}`);
      expectTrue(made.metadata.description.trim() !== '', 'it says what it is for');
      expectSame(made?.inputSchema['type'], 'object', 'its arguments are an object');
      for (const convert of [toOpenAITools, toAnthropicTools, toGeminiTools, toMcpTools]) {
        const { tools, report } = convert(registry.only([tool]));
        expectSame(tools.length, 1, `every provider takes it: ${String(report)}`);
      }
    }),
    using('answers a good call, and several at once', async (board) => {
      expectAnswer(await board.call(tool, input), answer);
      const results = await Promise.all(Array.from({ length: 4 }, () => board.call(tool, input)));
      for (const result of results) expectAnswer(result, answer);
    }),
    using('answers after its files were read again', async (board) => {
      expectSame(await board.reload(), { ok: true });
      expectAnswer(await board.call(tool, input), answer);
    }),
    using('tells what a call would do, and does nothing', async (board) => {
      expectSame((await board.dryRun(tool, input)).tool, tool);
    }),
    ...(wrong === undefined
      ? []
      : [
          using('refuses arguments that do not fit, and names them', async (board) => {
            const { error } = expectFailed(await board.call(tool, wrong), ['invalid_arguments']);
            expectTrue(error.issues.length > 0, 'every issue is listed');
            expectSame(error.toolName, tool);
          }),
        ]),
    ...(failing === undefined
      ? []
      : [
          using('gives a failure as a result with a code, never as an exception', async (board) => {
            const name = failing.tool ?? tool;
            const { error, text } = expectFailed(await board.call(name, failing.input), TOOL_ERROR_CODES);
            expectTrue(error.code !== 'invalid_arguments', `the call was a good one: ${text}`);
            expectSame(error.toolName, name);
          }),
        ]),
    ...(slow === undefined ? [] : slowChecks(using, { tool, ...slow })),
    ...subject.broken.map(({ board, path }) => ({
      name: `says where a mistake is: ${path}`,
      check: () =>
        inFolder(subject, board, async (open) => {
          const { ConfigError } = await import('../../load/diagnostics/diagnostic.ts');
          const { formatPath } = await import('../../tool/texts/explain-issues.ts');
          const thrown = await open().then(
            async (opened) => opened.close(),
            (error: unknown) => error,
          );
          expectTrue(thrown instanceof ConfigError, `the board is refused with a ConfigError: ${String(thrown)}`);
          const faults = thrown.diagnostics;
          const fault = faults.find((candidate) => formatPath(candidate.path) === path);
          const told = faults.map((candidate) => formatPath(candidate.path)).join(', ');
          expectTrue(fault !== undefined, `a fault at ${path}; there are faults at: ${told}`);
          expectTrue((fault.place?.line ?? 0) > 0, 'with its line and column');
        }),
    })),
  ];
}

function slowChecks(
  using: (name: string, work: (board: Board) => Promise<void>) => ContractCheck,
  { tool, input }: { readonly tool: string; readonly input: Input },
): ContractCheck[] {
  return [
    using('stops when its caller has gone', async (board) => {
      const stop = new AbortController();
      const call = board.call(tool, input, { signal: stop.signal });
      setImmediate(() => stop.abort());
      expectFailed(await call, ['cancelled']);
    }),
    using('ends when its time is over', async (board) => {
      expectFailed(await board.call(tool, input, { timeout: 100 }), ['timeout']);
    }),
  ];
}

function expectAnswer(result: ToolResult, answer: string): void {
  expectTrue(result.ok, `a good call is answered: ${result.text}`);
  expectTrue(result.text.includes(answer), `the answer has ${JSON.stringify(answer)}: ${result.text}`);
}

function expectFailed(result: ToolResult, codes: readonly string[]): ToolFailure {
  expectTrue(!result.ok, `the call fails: ${result.text}`);
  expectTrue(codes.includes(result.error.code), `fails as ${codes.join(' or ')}: ${result.error.code}`);
  return result;
}

async function useBoard(board: Board, work: (board: Board) => Promise<void>): Promise<void> {
  try {
    await work(board);
  } finally {
    await board.close();
  }
}

/** A folder with the board in it, gone afterwards. */
async function inFolder(
  { files = {}, env = {} }: Pick<KindSubject, 'files' | 'env'>,
  text: string,
  work: (open: () => Promise<Board>) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-kind-'));
  try {
    for (const [name, content] of Object.entries({ ...files, 'pegboard.yaml': text })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    const { openBoard } = await import('../../board/open-board.ts');
    const path = process.env['PATH'];
    await work(() => openBoard('pegboard.yaml', { cwd: folder, env: { PATH: path, HOME: folder, ...env } }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
