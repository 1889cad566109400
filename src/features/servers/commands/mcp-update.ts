import { basename, dirname } from 'node:path';
import { describeChange } from '../../lock/describe-change.ts';
import type { LockChange } from '../../../guard/lock/compare-pins.ts';
import { inspectText } from '../../../guard/lock/inspect-description.ts';
import { findLock } from '../../../guard/lock/lock-file.ts';
import { type ChangedFile, planChange } from '../../../load/change-file.ts';
import { packagesFolder, writeRecord } from '../../../mcp/client/packages/package-record.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { cannotAsk, findBoardFile, noteOwnChange } from '../../../cli/shared/board/change-board.ts';
import { askYesOrNo } from '../../../cli/shared/ask/ask-person.ts';
import { canAsk, type CliContext, printLine, refuse } from '../../../cli/shared/cli-context.ts';
import { defineCommand, FILE_OPTION, flag, listOption } from '../../../cli/shared/command.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { createStyle } from '../../../cli/shared/print/style.ts';
import { counted } from '../../../tool/texts/counted.ts';
import type { BoardServer } from '../to-board-server.ts';
import { findNext, type NextServer } from './find-next.ts';
import { describeServer, serversOf, type WrittenServer } from './server-entry.ts';

const COMMAND = 'mcp update';

export const mcpUpdate = defineCommand({
  name: COMMAND,
  description:
    'Starts a newer version of an MCP server, shows how its tools, prompts, resources and instructions differ from the lock, and updates the config and the lock if you agree. Until then the board uses the current version.',
  arguments: [
    { name: 'SERVER', description: 'Its name under mcpServers', required: true, completes: 'servers' },
    { name: 'SOURCE', description: 'A version, a server.json or a .mcpb file (default: the latest version on npm)' },
  ],
  options: {
    ...FILE_OPTION,
    set: listOption('KEY=VALUE', 'A value that the new version asks for'),
    yes: flag('Update without asking', 'y'),
    'dry-run': flag('Show the differences, without writing'),
  },
  examples: [
    ['pegboard mcp update memory', 'the latest version, after you reviewed the changes'],
    ['pegboard mcp update desk desk-2.0.0.mcpb --dry-run', 'show what another bundle would change'],
  ],
  async run({ values, positionals: [name = '', source], json, context }) {
    const file = findBoardFile(values.file, COMMAND, context);
    const written = serversOf(file)[name];
    if (!isPlainObject(written)) {
      const known = Object.keys(serversOf(file)).join(', ') || 'none';
      throw new ToolError({
        code: 'not_found',
        message: `${file.shown} has no server "${name}". There are: ${known}.`,
      });
    }
    const place = findLock({ folder: dirname(file.path), given: [file.path], cwd: context.cwd });
    if (place.reading.type !== 'read') {
      const message = `There is no lock to compare with. Run pegboard lock first, with your current version of ${name}.`;
      throw new ToolError({ code: 'not_found', message });
    }
    const given = new Map(values.set.map((pair): [string, string] => splitPair(pair)));
    const locked = place.reading.pins.packages?.get(name)?.version;
    const next = await findNext({ name, source, entry: written, locked, given, file, context });
    if (next === undefined) return { data: { name, updated: false, changes: [] }, view: `${name} is up to date.` };
    const isDry = values['dry-run'];
    if (!isDry && !values.yes && !canAsk(context)) throw cannotAsk(COMMAND);
    showStart(written, next, context);
    // The new version may be another program, which is about to run.
    const mustAsk = source !== undefined && !values.yes && canAsk(context);
    if (mustAsk && !(await askYesOrNo(context, { message: 'Start it, to see what it offers?' })))
      return refuse(context, 'Nothing was started or written.');
    next.install?.();
    const plan = planChange(file, [{ section: 'mcpServers', set: { [name]: next.entry } }], context);
    let isTaken = false;
    const agree = async (changes: readonly LockChange[]): Promise<boolean> => {
      if (!json) for (const change of changes) showChange(change, context);
      if (isDry) return false;
      const what = `Use ${describeServer(next.shown)} with ${counted(changes.length, 'change')}?`;
      if (!values.yes && !(await askYesOrNo(context, { message: what }))) return false;
      next.keep();
      if (next.moved === undefined) {
        await noteOwnChange(file, plan.text, context);
        plan.write();
      }
      return (isTaken = true);
    };
    const changes = await compare(name, { next: next.resolved, file, context, agree });
    if (isTaken && next.moved !== undefined) await moveEntry(name, next.moved, { file, context });
    const where = next.moved === undefined ? file.shown : basename(place.file);
    return {
      data: { name, updated: isTaken, entry: next.entry, changes },
      view: isTaken ? `Updated ${name} in ${where}: ${describeServer(next.shown)}` : [],
      notes: isTaken ? [] : 'Nothing was written.',
      exitCode: isTaken || isDry ? 0 : 1,
    };
  },
});

/** Prints the commands of the current and the new version. */
function showStart(before: WrittenServer, { shown, notes = [] }: NextServer, { stderr }: CliContext): void {
  const show = (server: WrittenServer): string => {
    const given = Object.keys({ ...server.env, ...server.headers });
    return `${describeServer(server)}${given.length === 0 ? '' : ` (with ${given.join(', ')})`}`;
  };
  printLine(stderr, `now: ${show(before)}`);
  printLine(stderr, `new: ${show(shown)}`);
  for (const note of notes) printLine(stderr, `note: ${note}`);
}

/** Prints a change, and warns about texts in it that hide something or give instructions to the model. */
function showChange(change: LockChange, { stdout, env }: CliContext): void {
  const style = createStyle(stdout, env);
  printLine(stdout, describeChange(change));
  for (const { kind, what } of inspectText('change', change.lines.join('\n')))
    printLine(stdout, `${style.red(kind)} ${what}`);
}

interface CompareOptions {
  readonly next: Readonly<Record<string, unknown>>;
  readonly file: ChangedFile;
  readonly context: CliContext;
  readonly agree: (changes: readonly LockChange[]) => Promise<boolean>;
}

/** Starts the newer server on a separate board and asks about the differences; agreed ones are added to the lock. */
async function compare(name: string, { next, file, context, agree }: CompareOptions): Promise<readonly LockChange[]> {
  const { openBoard } = await import('../../../board/open-board.ts');
  const seen: LockChange[] = [];
  let isStarted = false;
  const board = await openBoard(file.path, {
    cwd: dirname(file.path),
    env: context.env,
    servers: 'cached',
    mcpServers: { [name]: { ...next, lock: 'approve' } },
    approveChanges: (changes) => {
      // Its tools may be known from an earlier look, but not yet the package that it starts.
      if (!isStarted) return false;
      seen.push(...changes);
      return agree(changes);
    },
  });
  try {
    const find = (): BoardServer | undefined => board.servers.find((one) => one.name === name);
    const failure = await find()?.connect();
    if (failure !== undefined || find()?.offered === undefined) {
      throw new ToolError({
        code: 'upstream_unavailable',
        message: `The new version of ${name} cannot be used. ${failure ?? 'It did not answer.'}`,
      });
    }
    isStarted = true;
    await board.reload();
    if (seen.length > 0) return seen;
    // Without new texts, removed ones are still reported.
    const gone = board.lock.changes.filter(
      ({ type, origin }) => type === 'removed' && origin.startsWith(`mcp ${name}`),
    );
    await agree(gone);
    return gone;
  } finally {
    await board.close();
  }
}

/** Makes an unchanged entry stand for another version, and starts it once, so that the board knows its tools. */
async function moveEntry(
  name: string,
  { spec, version }: NonNullable<NextServer['moved']>,
  { file, context }: Pick<CompareOptions, 'file' | 'context'>,
): Promise<void> {
  const { openBoard } = await import('../../../board/open-board.ts');
  const board = await openBoard(file.path, { cwd: dirname(file.path), env: context.env, servers: 'cached' });
  try {
    writeRecord({ folder: packagesFolder(board.data), server: name, text: spec.text }, version);
    await board.servers.find((server) => server.name === name)?.connect();
  } finally {
    await board.close();
  }
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new UsageError(`--set must be KEY=VALUE; got "${pair.slice(0, 20)}".`, COMMAND);
  return [pair.slice(0, at), pair.slice(at + 1)];
}
