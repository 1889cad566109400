import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Board } from '../../board/board.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ToolFailure, ToolResult } from '../../tool/tool-result.ts';
import { type ContractCheck, expectTrue } from './contract.ts';

/** The arguments of a tool in a contract test. */
export type KindInput = Readonly<Record<string, unknown>>;

/** A call that a contract makes. */
export interface KindCall {
  /** Default: the subject's tool. */
  readonly tool?: string;
  readonly input: KindInput;
}

/** A board with a call, and a text that the answer contains. */
export interface KindSample extends Partial<KindCall> {
  readonly board: string;
  readonly answer: string;
}

/** The kind of config entry to test. */
export interface KindSubject {
  /** The kind, as `defineKind` created it. */
  readonly kind: Kind;
  /** A board file with an entry of the kind. */
  readonly board: string;
  /** Files beside it, by name; every board of the contract has them. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The tool to call, with valid arguments. */
  readonly tool: string;
  readonly input: KindInput;
  /** A text that its answer contains. */
  readonly answer: string;
  /** Invalid arguments; none for a kind whose tools accept any. */
  readonly wrong?: KindInput;
  /** A call whose own work fails. */
  readonly failing?: KindCall;
  /** A call that takes longer than any caller waits. */
  readonly slow?: KindCall;
  /** Boards with a mistake in an entry of the kind, and its path: `tools[0].command`. */
  readonly broken: readonly { readonly board: string; readonly path: string }[];
  /**
   * Calls on boards whose policy has `roots: [.]`. `inside` and `outside` use a path below the board's folder and one
   * elsewhere: required if an entry of the kind declares path arguments. `untold` calls a tool whose paths are unknown.
   */
  readonly roots?: {
    /** A board for these calls. Default: the subject's. */
    readonly board?: string;
    readonly inside?: KindCall;
    readonly outside?: KindCall;
    readonly untold?: KindCall;
  };
  /**
   * A call that leaves a trace, in the files of the board's folder or in the result of `trace`. A dry run must leave
   * none. With `isReading` no call of the kind leaves one, and only the dry run is checked.
   */
  readonly acts: KindCall & { readonly trace?: () => unknown; readonly isReading?: boolean };
  /** An entry with relative paths: required if the kind has `paths`. */
  readonly relative?: KindSample;
  /** The same entry with other settings, and the answer of a call after a reload. */
  readonly changed: KindSample;
  /**
   * A board that passes `${KIND_TOKEN}` to the tool so that its answer would show it. With `isUnseen` no answer can,
   * and only dry run, description and doctor are checked.
   */
  readonly secret: Omit<KindSample, 'answer'> & { readonly isUnseen?: boolean };
  /** A board that needs something missing, and the doctor's name for it: required if the kind has a doctor. */
  readonly missing?: { readonly board: string; readonly name: string };
}

/** The value of `${KIND_TOKEN}`. */
export const KIND_SECRET = 'c0ntract-s3cret-value';

export interface KindFolder {
  readonly path: string;
  /** Replaces the board file. */
  write(board: string): void;
  /** Opens the board, optionally with a policy with roots, from a working folder. Default: the board's folder. */
  open(options?: { readonly hasRoots?: boolean; readonly cwd?: string }): Promise<Board>;
}

/** Creates a check that gets a folder with a board, deleted afterwards. */
export function inFolder(
  name: string,
  { subject, board = subject.board }: { readonly subject: KindSubject; readonly board?: string | undefined },
  work: (folder: KindFolder) => Promise<void>,
): ContractCheck {
  return {
    name,
    async check() {
      const top = mkdtempSync(join(tmpdir(), 'pegboard-kind-'));
      const path = join(top, 'board');
      const write = (file: string, content: string | Uint8Array): void => {
        mkdirSync(dirname(join(path, file)), { recursive: true });
        writeFileSync(join(path, file), content);
      };
      try {
        for (const [file, content] of Object.entries(subject.files ?? {})) write(file, content);
        write('pegboard.yaml', board);
        write('roots.yaml', 'policy: { roots: [.], approval: { global: none } }\n');
        await work({
          path,
          write: (text) => write('pegboard.yaml', text),
          open: async ({ hasRoots = false, cwd = path } = {}) => {
            const { openBoard } = await import('../../board/open-board.ts');
            const files = [join(path, 'pegboard.yaml'), ...(hasRoots ? [join(path, 'roots.yaml')] : [])];
            const board = await openBoard(files, { cwd, env: kindEnvironment(subject, path), kinds: [subject.kind] });
            await board.ready();
            return board;
          },
        });
      } finally {
        rmSync(top, { recursive: true, force: true });
      }
    },
  };
}

/** Returns the environment of a contract's board. Its data is stored above its folder, where commands do not walk. */
export function kindEnvironment({ env = {} }: KindSubject, folder: string): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], HOME: dirname(folder), KIND_TOKEN: KIND_SECRET, ...env };
}

/** Creates a check that gets an open board, closed afterwards. */
export function onBoard(
  name: string,
  given: { readonly subject: KindSubject; readonly board?: string | undefined; readonly hasRoots?: boolean },
  work: (board: Board, folder: KindFolder) => Promise<void>,
): ContractCheck {
  return inFolder(name, given, async (folder) =>
    useBoard(await folder.open({ hasRoots: given.hasRoots ?? false }), (board) => work(board, folder)),
  );
}

/** Closes a board after the work. */
export async function useBoard(board: Board, work: (board: Board) => Promise<void>): Promise<void> {
  try {
    await work(board);
  } finally {
    await board.close();
  }
}

/** Makes a call of the subject's tool, unless the call names another. */
export function make(board: Board, { tool }: KindSubject, call: KindCall): Promise<ToolResult> {
  return board.call(call.tool ?? tool, call.input);
}

/** Throws unless a call was answered with a text that contains `answer`. */
export function expectAnswer(result: ToolResult, answer: string): void {
  expectTrue(result.ok, `a good call is answered: ${result.text}`);
  expectTrue(result.text.includes(answer), `the answer has ${JSON.stringify(answer)}: ${result.text}`);
}

/** Throws unless a call failed with one of these codes. */
export function expectFailed(result: ToolResult, codes: readonly string[]): ToolFailure {
  expectTrue(!result.ok, `the call fails: ${result.text}`);
  expectTrue(codes.includes(result.error.code), `fails as ${codes.join(' or ')}: ${result.error.code}, ${result.text}`);
  return result;
}

/** Throws unless a valid call is denied under roots; the policy may also remove the tool from the board. */
export async function expectRefused(folder: KindFolder, subject: KindSubject, call: KindCall): Promise<void> {
  const name = call.tool ?? subject.tool;
  await useBoard(await folder.open(), async ({ registry }) => {
    const validation = await registry.get(name)?.validate(call.input);
    expectTrue(validation?.ok === true, `without the policy "${name}" takes these arguments`);
  });
  await useBoard(await folder.open({ hasRoots: true }), async (board) => {
    expectFailed(await make(board, subject, call), ['invalid_arguments', 'permission_denied', 'not_found']);
  });
}

/** Files in which a board stores calls of every kind, at any time. */
const RECORD = /(?:^|[\\/])(?:board\.db|\.gitignore|store\.key)[^\\/]*$/;

/** Returns the files below a folder with their contents, except the record. */
export function readTree(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !RECORD.test(name) && statSync(join(folder, name)).isFile())
    .toSorted();
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'base64')]));
}
