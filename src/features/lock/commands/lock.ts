import { relative } from 'node:path';
import { type FileReview, reviewFiles } from '../../../board/changes/review-files.ts';
import { terminalUser } from '../../../cli/shared/ask/ask-approval.ts';
import type { BoardLock } from '../board-lock.ts';
import { describeChange } from '../describe-change.ts';
import type { Board } from '../../../board/board.ts';
import { canAsk, type CliContext } from '../../../cli/shared/cli-context.ts';
import { isInsideCall } from '../../../platform/process/trees/process-table.ts';
import { defineCommand, FILES_ARGUMENT, flag } from '../../../cli/shared/command.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';
import { findConfig } from '../../../cli/shared/board/find-config.ts';
import { lookMode, setTrust } from '../../../cli/shared/board/trust.ts';

export const lock = defineCommand({
  name: 'lock',
  description:
    'Writes pegboard.lock (other.pegboard.lock for other.yaml) with the definition, hash and source of every tool, trusts the folder, and accepts changes of the files that wait. Starts MCP servers to ask for their tools. Shows texts that hide something or give instructions to the model.',
  arguments: [FILES_ARGUMENT],
  options: {
    check: flag('Write nothing; fail if a tool differs from the lock'),
    offline: flag('Start no MCP server; use what each offered last'),
  },
  examples: [
    ['pegboard lock', 'after you reviewed the tools'],
    ['pegboard lock --check --trust', 'in CI'],
  ],
  async parse({ values, positionals, context }) {
    const files = [...positionals, ...values.file];
    const found = findConfig(files, context);
    const isLooking = values.check && lookMode(found, context) === 'look';
    const review = values.check ? undefined : await beginReview(found, context);
    return { files, isOffline: values.offline || isLooking, review };
  },
  board: ({ values: { check }, parsed: { isOffline } }) => ({
    // A check must not run plugins that changed since they were reviewed.
    lock: check ? 'compare' : 'ignore',
    mode: check ? 'look' : 'run',
    ...(isOffline ? { servers: 'cached' } : { eager: true }),
  }),
  async run({ values, parsed: { files, isOffline, review }, context, board }) {
    const missing = findMissing(board, isOffline);
    const { lock: current } = board;
    const { state, changes, isOld } = current;
    const before = { state, changes, isOld };
    const isSame = state === 'read' && changes.length === 0;
    const isWritten = !values.check && missing.length === 0;
    const text = isWritten ? current.write() : undefined;
    const accepted = text === undefined ? [] : ((await review?.accept(text, terminalUser())) ?? []);
    // A person who pins the tools has reviewed them and has run what the files name.
    if (isWritten) trustQuietly(files, context);
    if (isWritten) for (const server of board.servers) server.markSeen();
    const ok = missing.length === 0 && (isWritten || isSame);
    const findings = [...current.findings].map(([tool, found]) => ({ tool, findings: found }));
    const file = relative(context.cwd, current.file) || current.file;
    const outcome = { before, isWritten, isSame, missing, file, accepted };
    return {
      data: { ok, file: current.file, written: isWritten, missing, ...before, findings, accepted },
      view: (style) => describeOutcome(current, outcome, style),
      exitCode: ok ? 0 : 1,
    };
  },
});

/** Lets a person who pins the tools accept a waiting change of the files too; nobody else, and no call of a board. */
async function beginReview(given: readonly string[], context: CliContext): Promise<FileReview | undefined> {
  const { cwd, env } = context;
  return canAsk(context) && !isInsideCall(env) ? reviewFiles({ given, cwd, env }) : undefined;
}

/** Trusts the folder, if there is a place to store that. */
function trustQuietly(files: readonly string[], context: CliContext): void {
  try {
    setTrust(findConfig(files, context), true, context);
  } catch {
    // Without a home folder, trust lasts only for this command.
  }
}

/** Finds servers whose tools are unknown: the lock would record their tools as removed. */
function findMissing({ servers }: Board, isOffline: boolean): string[] {
  return servers
    .filter(({ state, offered }) => (isOffline ? offered === undefined : state !== 'running'))
    .map(({ name }) => name);
}

interface Outcome {
  readonly before: Pick<BoardLock, 'state' | 'changes' | 'isOld'>;
  readonly isWritten: boolean;
  readonly isSame: boolean;
  readonly missing: readonly string[];
  readonly file: string;
  /** The waiting changes of the files that were accepted. */
  readonly accepted: readonly string[];
}

function describeOutcome(lock: BoardLock, outcome: Outcome, style: TextStyle): string[] {
  const { before, missing } = outcome;
  // A first lock has nothing to compare with.
  const changes = before.state === 'read' ? before.changes : [];
  return [
    ...changes.map((change) => describeChange(change)),
    ...[...lock.findings].flatMap(([tool, findings]) =>
      findings.map(({ where, kind, what }) => `${style.red(kind)} ${tool}, ${where}: ${what}`),
    ),
    ...missing.map((name) => style.red(`The MCP server "${name}" did not list its tools.`)),
    ...(outcome.accepted.length > 0 ? ['Accepted these changes of the files:', ...outcome.accepted] : []),
    ...conclude(lock, outcome, style),
  ];
}

function conclude(lock: BoardLock, { before, isWritten, isSame, missing, file }: Outcome, style: TextStyle): string[] {
  if (missing.length > 0) return [style.red('Nothing was written or checked, because its tools are unknown.')];
  if (isWritten) return [isSame && !before.isOld && lock.oldNames === 0 ? `${file} is up to date.` : `Wrote ${file}.`];
  if (before.state === 'absent') return [style.red(`There is no ${file}. Write it with ${lock.command}.`)];
  if (before.state === 'broken') return [style.red(`${file} cannot be used. Run ${lock.command}.`)];
  if (!isSame) return [style.red(`The tools differ from the lock. If you trust the changes, run ${lock.command}.`)];
  return [
    style.green('All tools match the lock.'),
    ...(before.isOld
      ? [`The lock lacks hints, icons, _meta, instructions or packages of servers: ${lock.command} adds them.`]
      : []),
    ...(lock.oldNames > 0 ? [`Some tools have new names: ${lock.command} updates them.`] : []),
  ];
}
