import { dirname } from 'node:path';
import type { Board } from '../../board/board.ts';
import type { Kind, ToolEntry } from '../../kinds/kind.ts';
import { type ContractCheck, expectSame, expectTrue } from './contract.ts';
import {
  expectAnswer,
  expectRefused,
  inFolder,
  KIND_SECRET,
  type KindCall,
  kindEnvironment,
  type KindSubject,
  make,
  onBoard,
  readTree,
  useBoard,
} from './kind-subject.ts';

/** Checks a policy with roots: it denies paths elsewhere, and tools that do not declare their paths. */
export function kindRoots(subject: KindSubject): ContractCheck[] {
  const { kind, tool, input, answer, roots = {} } = subject;
  const { inside, outside, untold } = roots;
  const under = { subject, board: roots.board };
  const refused = (name: string, call: KindCall | undefined): ContractCheck[] =>
    call === undefined ? [] : [inFolder(name, under, (folder) => expectRefused(folder, subject, call))];
  return [
    inFolder('runs under roots if it declares its paths, and is denied if it does not', { subject }, async (folder) => {
      let statesPaths = false;
      await useBoard(await folder.open(), async (board) => {
        statesPaths = hasStatedPaths(board, subject);
      });
      if (!statesPaths) return expectRefused(folder, subject, { input });
      return useBoard(await folder.open({ hasRoots: true }), async (board) => {
        expectAnswer(await board.call(tool, input), answer);
      });
    }),
    onBoard('is tested with paths inside and outside the roots if its arguments are paths', under, async (board) => {
      const hasPaths = entriesOf(board, kind).some((entry) => (pathNames(entry, undefined) ?? []).length > 0);
      const isTried = inside !== undefined && outside !== undefined;
      expectTrue(!hasPaths || isTried, 'an argument is a path: give roots.inside and roots.outside');
    }),
    ...(inside === undefined
      ? []
      : [
          onBoard('allows a path below the roots', { ...under, hasRoots: true }, async (board) => {
            const { ok, text } = await make(board, subject, inside);
            expectTrue(ok, `the path inside passes: ${text}`);
          }),
        ]),
    ...refused('denies a path outside the roots', outside),
    ...refused('denies a tool with unknown paths under roots', untold),
  ];
}

/** Checks that a dry run lists the steps, if the kind can, and does nothing. */
export function kindDryRun(subject: KindSubject): ContractCheck[] {
  const { acts, kind, tool } = subject;
  const name = acts.tool ?? tool;
  return [
    onBoard('describes what a call would do, and does nothing', { subject }, async (board, { path }) => {
      const look = (): unknown => [readTree(dirname(path)), acts.trace?.()];
      const before = look();
      const plan = await board.dryRun(name, acts.input);
      expectSame(plan.tool, name);
      if (kind.dryRun === undefined) expectSame(plan.steps, [], 'a kind that cannot tell says nothing');
      else expectTrue(plan.steps.length > 0, 'it names the steps');
      expectSame(look(), before, 'a dry run leaves no trace');
      const result = await make(board, subject, acts);
      expectTrue(result.ok, `the call itself is answered: ${result.text}`);
      const hasTrace = JSON.stringify(look()) !== JSON.stringify(before);
      const hint = 'files and acts.trace() are the same after it; give acts.isReading: true if the tools only read';
      if (acts.isReading !== true) expectTrue(hasTrace, `the call itself leaves a trace: ${hint}`);
      else expectTrue(!hasTrace, 'with acts.isReading the call leaves no trace');
    }),
  ];
}

/** Checks that a secret of the environment appears in nothing that a person or a model sees. */
export function kindSecrets(subject: KindSubject): ContractCheck[] {
  const { kind, tool, secret } = subject;
  const { input = subject.input, isUnseen = false } = secret;
  const name = secret.tool ?? tool;
  return [
    onBoard(
      'keeps a secret out of results, dry runs, descriptions and findings of the doctor',
      { subject, board: secret.board },
      async (board, { path }) => {
        const result = await board.call(name, input);
        const shown = JSON.stringify([result, result.text, result.content]);
        expectTrue(!shown.includes(KIND_SECRET), `not in the result: ${shown}`);
        const hint = 'give secret.isUnseen: true if no answer can show it';
        expectTrue(
          isUnseen || shown.includes('[redacted]'),
          `[redacted] is in the result in place of the secret; ${hint}: ${shown}`,
        );
        const plan = JSON.stringify(await board.dryRun(name, input));
        expectTrue(!plan.includes(KIND_SECRET), `not in the dry run: ${plan}`);
        const context = { env: kindEnvironment(subject, path), cwd: path, signal: new AbortController().signal };
        for (const entry of entriesOf(board, kind)) {
          const told = board.redact(
            JSON.stringify([entry.metadata, await kind.describe?.(entry), await kind.doctor?.(entry, context)]),
          );
          expectTrue(!told.includes(KIND_SECRET), `not in description and doctor: ${told}`);
        }
        const said = JSON.stringify([board.diagnostics, board.registry.list()]);
        expectTrue(!said.includes(KIND_SECRET), `not in what is said about the board: ${said}`);
      },
    ),
  ];
}

/** Checks that the doctor reports missing things, and nothing else. */
export function kindDoctor(subject: KindSubject): ContractCheck[] {
  const { kind, missing } = subject;
  const find = async (folder: string): Promise<unknown[]> => {
    const { loadConfig } = await import('../../load/load-config.ts');
    const { definePlugin } = await import('../../load/plugins/define-plugin.ts');
    const env = kindEnvironment(subject, folder);
    const plugins = [definePlugin({ kinds: [kind] })];
    const { files } = await loadConfig(['pegboard.yaml'], { cwd: folder, env, plugins });
    const context = { env, cwd: folder, signal: new AbortController().signal };
    const entries = files.flatMap((file) => file.entries).filter((entry) => entry.kind === kind);
    expectTrue(entries.length > 0, 'the board has an entry of the kind');
    return (await Promise.all(entries.map(async (entry) => (await kind.doctor?.(entry, context)) ?? []))).flat();
  };
  if (kind.doctor === undefined) return [];
  return [
    inFolder('has the doctor report what is missing', { subject, board: missing?.board }, async ({ path }) => {
      expectTrue(missing !== undefined, 'the kind has a doctor: give missing');
      const told = (await find(path)).filter((finding) => !isFine(finding)).map((finding) => JSON.stringify(finding));
      const message = `the doctor names ${missing.name}: ${told.join(' ')}`;
      expectTrue(
        told.some((finding) => finding.includes(JSON.stringify(missing.name).slice(1, -1))),
        message,
      );
    }),
    inFolder('has the doctor report nothing on a good board', { subject }, async ({ path }) => {
      for (const finding of await find(path)) {
        expectTrue(!isMissing(finding), `nothing is missing: ${JSON.stringify(finding)}`);
      }
    }),
  ];
}

function isMissing(finding: unknown): boolean {
  return typeof finding === 'object' && finding !== null && 'status' in finding && finding.status === 'missing';
}

function isFine(finding: unknown): boolean {
  return typeof finding === 'object' && finding !== null && 'status' in finding && finding.status === 'ok';
}

function entriesOf(board: Board, kind: Kind): ToolEntry[] {
  return board.files.flatMap((file) => file.entries).filter((entry) => entry.kind === kind);
}

/** Returns true if the tool of the good call declares its path arguments, by its kind, its entry or its own code. */
function hasStatedPaths(board: Board, { tool, kind }: KindSubject): boolean {
  const entry = entriesOf(board, kind).find(
    ({ metadata, settings }) => kind.names(metadata.name, settings)?.includes(tool) ?? true,
  );
  const own = board.registry.get(tool)?.metadata.paths;
  return (entry && pathNames(entry, own)) !== undefined;
}

/** Returns the arguments that are paths, or `undefined` if the kind does not declare them. */
function pathNames(entry: ToolEntry, own: readonly string[] | undefined): readonly string[] | undefined {
  const { kind, paths } = entry;
  if (kind.pathArguments === undefined) return own ?? paths;
  return kind.pathArguments(entry, { cwd: process.cwd(), env: process.env, prefix: [] })?.names;
}
