import { serversIn, type WrittenServers } from '../server-sections.ts';
import { dirname } from 'node:path';
import { describeChange } from '../../lock/describe-change.ts';
import type { LockChange } from '../../../guard/lock/compare-pins.ts';
import { inspectText } from '../../../guard/lock/inspect-description.ts';
import { findLock } from '../../../guard/lock/lock-file.ts';
import { type ChangedFile, planChange } from '../../../load/change-file.ts';
import { loadFile } from '../../../load/load-file.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { cannotAsk, findBoardFile, noteOwnChange } from '../../../cli/shared/board/change-board.ts';
import { askYesOrNo } from '../../../cli/shared/ask/ask-person.ts';
import { canAsk, type CliContext, printLine, refuse } from '../../../cli/shared/cli-context.ts';
import { defineCommand, FILE_OPTION, flag, listOption } from '../../../cli/shared/command.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { createStyle } from '../../../cli/shared/print/style.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { findLatestVersion, findServer } from './find-server.ts';
import { keepSecrets } from './keep-secrets.ts';
import { describeServer, serversOf, tidyServer, type WrittenServer } from './server-entry.ts';

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
    if (findLock({ folder: dirname(file.path), given: [file.path], cwd: context.cwd }).reading.type !== 'read') {
      const message = `There is no lock to compare with. Run pegboard lock first, with your current version of ${name}.`;
      throw new ToolError({ code: 'not_found', message });
    }
    const given = new Map(values.set.map((pair): [string, string] => splitPair(pair)));
    const next = await findNext({ name, source, entry: written, given, file, context });
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
      const what = `Use ${describeServer(next.entry)} with ${counted(changes.length, 'change')}?`;
      if (!values.yes && !(await askYesOrNo(context, { message: what }))) return false;
      next.keep();
      await noteOwnChange(file, plan.text, context);
      plan.write();
      return (isTaken = true);
    };
    const changes = await compare(name, { next: next.resolved, file, context, agree });
    return {
      data: { name, updated: isTaken, entry: next.entry, changes },
      view: isTaken ? `Updated ${name} in ${file.shown}: ${describeServer(next.entry)}` : [],
      notes: isTaken ? [] : 'Nothing was written.',
      exitCode: isTaken || isDry ? 0 : 1,
    };
  },
});

/** Prints the commands of the current and the new version. */
function showStart(before: WrittenServer, { entry, notes = [] }: NextServer, { stderr }: CliContext): void {
  const show = (server: WrittenServer): string => {
    const given = Object.keys({ ...server.env, ...server.headers });
    return `${describeServer(server)}${given.length === 0 ? '' : ` (with ${given.join(', ')})`}`;
  };
  printLine(stderr, `now: ${show(before)}`);
  printLine(stderr, `new: ${show(entry)}`);
  for (const note of notes) printLine(stderr, `note: ${note}`);
}

/** Prints a change, and warns about texts in it that hide something or give instructions to the model. */
function showChange(change: LockChange, { stdout, env }: CliContext): void {
  const style = createStyle(stdout, env);
  printLine(stdout, describeChange(change));
  for (const { kind, what } of inspectText('change', change.lines.join('\n')))
    printLine(stdout, `${style.red(kind)} ${what}`);
}

interface NextServer {
  /** The entry for the config. */
  readonly entry: WrittenServer;
  /** The entry with the values of its variables. */
  readonly resolved: Readonly<Record<string, unknown>>;
  /** Notes for the person before it is started. */
  readonly notes?: readonly string[];
  readonly install?: (() => void) | undefined;
  /** Stores its new secrets. */
  readonly keep: () => void;
}

interface NextOptions {
  readonly name: string;
  readonly source: string | undefined;
  readonly entry: WrittenServer;
  readonly given: ReadonlyMap<string, string>;
  readonly file: ChangedFile;
  readonly context: CliContext;
}

/** Finds the entry of the newer version; `undefined` if the version is the same. */
async function findNext(options: NextOptions): Promise<NextServer | undefined> {
  const { name, source, entry, given, file, context } = options;
  const loaded = loadFile(Buffer.from(file.text ?? ''), file.path, {
    env: context.env,
    folder: dirname(file.path),
  });
  // The file was validated, servers included.
  const now: WrittenServers[string] = serversIn(loaded)[name] ?? {};
  if (source !== undefined && /\.(?:json|mcpb)$/i.test(source)) {
    const found = await findServer([source], { name, transport: undefined, command: COMMAND, context, given, file });
    const secrets = new Map((found.secrets ?? []).map(({ variable, value }) => [variable, value]));
    const kept = keepSecrets(file, found.secrets ?? [], context);
    const fill = (_: string, value: unknown): unknown =>
      typeof value === 'string'
        ? value.replaceAll(/\$\$\{|\$\{(\w+)\}/g, (whole, key?: string) =>
            key === undefined ? '${' : (secrets.get(key) ?? context.env[key] ?? whole),
          )
        : value;
    const started = tidyServer({ ...entry, ...kept.refer(found.entry) });
    const resolved = { ...now, ...(JSON.parse(JSON.stringify(found.entry), fill) as object) };
    const isSame = JSON.stringify(started) === JSON.stringify(tidyServer(entry));
    return isSame
      ? undefined
      : {
          entry: withOthers(entry, started),
          resolved,
          notes: found.notes,
          install: found.install,
          keep: () => kept.write(),
        };
  }
  const at = entry.args?.findIndex((arg) => PINNED.test(arg)) ?? -1;
  const [, pack = '', version = ''] = PINNED.exec(entry.args?.[at] ?? '') ?? [];
  if (pack === '') {
    const message = `The entry of ${name} does not pin the version of an npm package. Give the new server.json or .mcpb file.`;
    throw new UsageError(message, COMMAND);
  }
  const wanted = source ?? (await findLatestVersion(pack, context));
  if (wanted === undefined) {
    const message = `The latest version of ${pack} could not be determined. Name it: pegboard mcp update ${name} VERSION`;
    throw new ToolError({ code: 'upstream_unavailable', message });
  }
  if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(wanted))
    throw new UsageError(`"${wanted}" is not a version such as 1.2.3.`, COMMAND);
  if (wanted === version) return undefined;
  const replace = (args: readonly unknown[] = []): unknown[] =>
    args.map((arg, index) => (index === at ? `${pack}@${wanted}` : arg));
  const { args } = now;
  return {
    entry: { ...entry, args: replace(entry.args).map(String) },
    resolved: { ...now, args: replace(Array.isArray(args) ? args : []) },
    keep: () => {},
  };
}

/** An npm package with its version. */
const PINNED = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)@(\d+\.\d+\.\d+[\w.+-]*)$/i;

/** Replaces the parts of an entry that start the server, and keeps the others. */
function withOthers(entry: WrittenServer, started: WrittenServer): WrittenServer {
  const { command: _command, args: _args, env: _env, url: _url, headers: _headers, type: _type, ...others } = entry;
  return { ...started, ...others };
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
  const board = await openBoard(file.path, {
    cwd: dirname(file.path),
    env: context.env,
    servers: 'cached',
    mcpServers: { [name]: { ...next, lock: 'approve' } },
    approveChanges: (changes) => {
      seen.push(...changes);
      return agree(changes);
    },
  });
  try {
    await board.ready({ retry: true });
    const server = board.servers.find((one) => one.name === name);
    if (server?.offered === undefined) {
      const why = server?.failure === undefined ? 'It did not answer.' : server.failure.message;
      throw new ToolError({
        code: 'upstream_unavailable',
        message: `The new version of ${name} cannot be used. ${why}`,
      });
    }
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

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new UsageError(`--set must be KEY=VALUE; got "${pair.slice(0, 20)}".`, COMMAND);
  return [pair.slice(0, at), pair.slice(at + 1)];
}
