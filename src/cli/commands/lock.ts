import { relative } from 'node:path';
import type { BoardLock } from '../../board/assembly/lock-gate.ts';
import { describeChange } from '../../board/assembly/lock-gate.ts';
import type { Board } from '../../board/board.ts';
import { type CliContext, printJson, printLine } from '../cli-context.ts';
import { defineCommand, FILE_OPTION, FILES_ARGUMENT } from '../command-line/command.ts';
import { createStyle } from '../print/style.ts';
import { findConfig } from '../board/find-config.ts';
import { lookMode, setTrust } from '../board/trust.ts';
import { useBoard } from '../board/use-board.ts';

/** `pegboard lock`: pins every tool as it is now, or says what changed. */
export const lock = defineCommand({
  name: 'lock',
  description:
    'Writes pegboard.lock (other.pegboard.lock for other.yaml) and trusts the folder: the definition of every tool, its hash and where it comes from. MCP servers are started and asked. Texts that hide something or talk to the model are shown.',
  arguments: [FILES_ARGUMENT],
  options: {
    ...FILE_OPTION,
    check: { type: 'boolean', description: 'Write nothing; fail when a tool is not what the lock says' },
    offline: { type: 'boolean', description: 'Start no MCP server; take what each offered last time' },
  },
  examples: [
    ['pegboard lock', 'after you looked at the tools'],
    ['pegboard lock --check --trust', 'in CI'],
  ],
  run({ values, positionals, json, context }) {
    const files = [...positionals, ...values.file];
    const isLooking = values.check && lookMode(findConfig(files, context), context) === 'look';
    const isOffline = values.offline || isLooking;
    const servers = isOffline ? ({ servers: 'cached' } as const) : { eager: true };
    // Who only looks has not looked at changed plugins yet.
    const options = {
      context,
      lock: values.check ? 'compare' : 'ignore',
      mode: values.check ? 'look' : 'run',
      ...servers,
    } as const;
    return useBoard(files, options, (board) => {
      const missing = findMissing(board, isOffline);
      const { lock: current } = board;
      const { state, changes, isOld } = current;
      const before = { state, changes, isOld };
      const isSame = state === 'read' && changes.length === 0;
      const isWritten = !values.check && missing.length === 0;
      if (isWritten) current.write();
      // Whoever pins the tools has looked at them, and has run what the files name.
      if (isWritten) trustQuietly(files, context);
      if (isWritten) for (const server of board.servers) server.markSeen();
      const ok = missing.length === 0 && (isWritten || isSame);
      if (json) {
        const findings = [...current.findings].map(([tool, found]) => ({ tool, findings: found }));
        printJson(context, { ok, file: current.file, written: isWritten, missing, ...before, findings });
      } else report(current, { before, isWritten, isSame, missing }, context);
      return ok ? 0 : 1;
    });
  },
});

/** Trusts the folder, where there is a place to keep that. */
function trustQuietly(files: readonly string[], context: CliContext): void {
  try {
    setTrust(findConfig(files, context), true, context);
  } catch {
    // Without a home folder nothing is trusted beyond this command.
  }
}

/** Servers whose tools are not known as they are now: without them the lock would say that they are gone. */
function findMissing({ servers }: Board, isOffline: boolean): string[] {
  return servers
    .filter(({ state, offered }) => (isOffline ? offered === undefined : state !== 'running'))
    .map(({ name }) => name);
}

function report(
  lock: BoardLock,
  {
    before,
    isWritten,
    isSame,
    missing,
  }: {
    readonly before: Pick<BoardLock, 'state' | 'changes' | 'isOld'>;
    readonly isWritten: boolean;
    readonly isSame: boolean;
    readonly missing: readonly string[];
  },
  { stdout, env, cwd }: CliContext,
): void {
  const file = relative(cwd, lock.file) || lock.file;
  const style = createStyle(stdout, env);
  // A first lock has nothing to be compared with.
  const changes = before.state === 'read' ? before.changes : [];
  for (const change of changes) printLine(stdout, describeChange(change));
  for (const [tool, findings] of lock.findings) {
    for (const { where, kind, what } of findings) {
      printLine(stdout, `${style.red(kind)} ${tool}, ${where}: ${what}`);
    }
  }
  for (const name of missing) {
    printLine(stdout, style.red(`The MCP server "${name}" did not say what it offers.`));
  }
  if (missing.length > 0) printLine(stdout, style.red('Nothing was written or checked without it.'));
  else if (isWritten)
    printLine(stdout, isSame && !before.isOld && lock.oldNames === 0 ? `${file} is up to date.` : `Wrote ${file}.`);
  else if (before.state === 'absent')
    printLine(stdout, style.red(`There is no ${file}. Write it with ${lock.command}.`));
  else if (before.state === 'broken') printLine(stdout, style.red(`${file} cannot be used. Run ${lock.command}.`));
  else if (isSame) {
    printLine(stdout, style.green('Every tool is what the lock says.'));
    if (before.isOld)
      printLine(stdout, `It says nothing of hints, icons, _meta and instructions: ${lock.command} pins them.`);
    if (lock.oldNames > 0) printLine(stdout, `Some have other names now: ${lock.command} writes those.`);
  } else printLine(stdout, style.red(`Not what the lock says. If you trust the changes, run ${lock.command}.`));
}
