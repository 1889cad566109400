import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Board } from '../../board/board.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ToolFailure, ToolResult } from '../../tool/tool-result.ts';
import { type ContractCheck, expectTrue } from './contract.ts';

/** Arguments by name. */
export type KindInput = Readonly<Record<string, unknown>>;

/** A call that a contract makes. */
export interface KindCall {
  /** Default: the subject's tool. */
  readonly tool?: string;
  readonly input: KindInput;
}

/** A board of its own, a call, and a text that the answer has. */
export interface KindSample extends Partial<KindCall> {
  readonly board: string;
  readonly answer: string;
}

/** How a kind of config entry is tried. */
export interface KindSubject {
  /** The kind, as `defineKind` made it. */
  readonly kind: Kind;
  /** A board file with an entry of the kind. */
  readonly board: string;
  /** Files beside it, by name; every board of the contract has them. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The tool that is called; its name and a good call. */
  readonly tool: string;
  readonly input: KindInput;
  /** A text that the answer to it has. */
  readonly answer: string;
  /** Arguments that do not fit; none for a kind whose tools take any. */
  readonly wrong?: KindInput;
  /** A call whose own work fails. */
  readonly failing?: KindCall;
  /** A call that takes longer than any caller waits. */
  readonly slow?: KindCall;
  /** Boards with a mistake in an entry of the kind, and where it is: `tools[0].command`. */
  readonly broken: readonly { readonly board: string; readonly path: string }[];
  /**
   * Calls on boards whose policy has `roots: [.]`. `inside` and `outside` have a path below the board's folder and one
   * elsewhere: needed when an entry of the kind tells which arguments are paths. `untold` is of a tool whose paths are not known.
   */
  readonly roots?: {
    /** A board for these calls. Default: the subject's. */
    readonly board?: string;
    readonly inside?: KindCall;
    readonly outside?: KindCall;
    readonly untold?: KindCall;
  };
  /**
   * A call that leaves a trace: in the files of the board's folder, or in what `trace` gives. A dry run must leave none. With
   * `isReading` no call of the kind leaves one: then only the dry run is looked at.
   */
  readonly acts: KindCall & { readonly trace?: () => unknown; readonly isReading?: boolean };
  /** An entry with relative paths in it: needed when the kind has `paths`. */
  readonly relative?: KindSample;
  /** The same entry with other settings: what a call answers after a reload. */
  readonly changed: KindSample;
  /**
   * A board that hands `${KIND_TOKEN}` to the tool in such a way that its answer would show it. With `isUnseen` no answer can: then
   * only dry run, description and doctor are looked at.
   */
  readonly secret: Omit<KindSample, 'answer'> & { readonly isUnseen?: boolean };
  /** A board that needs something that is not there, and how the doctor names it: needed when the kind has a doctor. */
  readonly missing?: { readonly board: string; readonly name: string };
}

/** What `${KIND_TOKEN}` stands for. */
export const KIND_SECRET = 'c0ntract-s3cret-value';

/** A folder with a board in it. */
export interface KindFolder {
  readonly path: string;
  /** Writes the board file anew. */
  write(board: string): void;
  /** Opens the board, and a policy with roots beside it if it is asked for, from a working folder. Default: the board's folder. */
  open(options?: { readonly hasRoots?: boolean; readonly cwd?: string }): Promise<Board>;
}

/** Makes a check that gets a folder with a board, gone afterwards. */
export function inFolder(
  name: string,
  { subject, board = subject.board }: { readonly subject: KindSubject; readonly board?: string | undefined },
  work: (folder: KindFolder) => Promise<void>,
): ContractCheck {
  return {
    name,
    async check() {
      const path = mkdtempSync(join(tmpdir(), 'pegboard-kind-'));
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
        rmSync(path, { recursive: true, force: true });
      }
    },
  };
}

/** The environment of the boards of a contract. */
export function kindEnvironment({ env = {} }: KindSubject, home: string): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], HOME: home, KIND_TOKEN: KIND_SECRET, ...env };
}

/** Makes a check that gets an open board, closed afterwards. */
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

/** Makes a call, of the subject's tool unless it names another. */
export function make(board: Board, { tool }: KindSubject, call: KindCall): Promise<ToolResult> {
  return board.call(call.tool ?? tool, call.input);
}

/** Throws unless a call was answered with a text that has the other. */
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

/** Throws unless a call that is good by itself is refused under roots; the policy may leave the tool off the board. */
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

/** What a board keeps of calls of every kind, as soon as it has the time. */
const RECORD = /^\.pegboard\/(?:board\.db|\.gitignore|store\.key)/;

/** The files below a folder, and what is in them; without the record. */
export function readTree(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !RECORD.test(name) && statSync(join(folder, name)).isFile())
    .toSorted();
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'base64')]));
}
