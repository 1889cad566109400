import { dirname } from 'node:path';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import type { ChangedFile } from '../../../load/change-file.ts';
import { loadFile } from '../../../load/load-file.ts';
import { accepts, type PackageSpec, parsePackageCommand } from '../../../mcp/client/packages/package-command.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { serversIn, type WrittenServers } from '../server-sections.ts';
import { findLatestVersion, findServer } from './find-server.ts';
import { keepSecrets } from './keep-secrets.ts';
import { tidyServer, type WrittenServer } from './server-entry.ts';

const COMMAND = 'mcp update';

/** A newer version of a server. */
export interface NextServer {
  /** The entry for the config. */
  readonly entry: WrittenServer;
  /** The entry with the values of its variables. */
  readonly resolved: Readonly<Record<string, unknown>>;
  /** The entry for messages: with the exact version. */
  readonly shown: WrittenServer;
  /** The version that an unchanged entry stands for from now on. */
  readonly moved?: { readonly spec: PackageSpec; readonly version: string } | undefined;
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
  /** The version of its package in the lock. */
  readonly locked: string | undefined;
  readonly given: ReadonlyMap<string, string>;
  readonly file: ChangedFile;
  readonly context: CliContext;
}

/** Finds the entry of the newer version; `undefined` if the version is the same. */
export async function findNext(options: NextOptions): Promise<NextServer | undefined> {
  const { name, source, file, context } = options;
  const loaded = loadFile(Buffer.from(file.text ?? ''), file.path, {
    env: context.env,
    folder: dirname(file.path),
  });
  // The file was validated, servers included.
  const now: WrittenServers[string] = serversIn(loaded)[name] ?? {};
  return source !== undefined && /\.(?:json|mcpb)$/i.test(source)
    ? findInFile(source, now, options)
    : findVersion(now, options);
}

async function findInFile(
  source: string,
  now: WrittenServers[string],
  { name, entry, given, file, context }: NextOptions,
): Promise<NextServer | undefined> {
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
  if (JSON.stringify(started) === JSON.stringify(tidyServer(entry))) return undefined;
  const written = withOthers(entry, started);
  return {
    entry: written,
    resolved: { ...now, ...(JSON.parse(JSON.stringify(found.entry), fill) as object) },
    shown: written,
    notes: found.notes,
    install: found.install,
    keep: () => kept.write(),
  };
}

async function findVersion(
  now: WrittenServers[string],
  { name, source, entry, locked, context }: NextOptions,
): Promise<NextServer | undefined> {
  const target = findTarget(entry);
  if (target === undefined) {
    const message = `The entry of ${name} does not pin the version of an npm package. Give the new server.json or .mcpb file.`;
    throw new UsageError(message, COMMAND);
  }
  const { at, pack, before, spec, version } = target;
  const wanted = source ?? (await findLatestVersion(version === undefined ? (spec?.text ?? pack) : pack, context));
  if (wanted === undefined) {
    const message = `The latest version of ${pack} could not be determined. Name it: pegboard mcp update ${name} VERSION`;
    throw new ToolError({ code: 'upstream_unavailable', message });
  }
  if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(wanted))
    throw new UsageError(`"${wanted}" is not a version such as 1.2.3.`, COMMAND);
  if (wanted === (version ?? locked)) return undefined;
  const replace = (args: readonly unknown[] = []): unknown[] =>
    args.map((arg, index) => (index === at ? `${before}${pack}@${wanted}` : arg));
  const { args } = now;
  const shown = { ...entry, args: replace(entry.args).map(String) };
  // An entry that names no version, or accepts the new one, stays as its author wrote it.
  const isOpen = version === undefined && spec !== undefined && accepts(spec, wanted);
  return {
    entry: isOpen ? entry : shown,
    resolved: { ...now, args: replace(Array.isArray(args) ? args : []) },
    shown,
    ...(isOpen ? { moved: { spec, version: wanted } } : {}),
    keep: () => {},
  };
}

/** An npm package with its version. */
const PINNED = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)@(\d+\.\d+\.\d+[\w.+-]*)$/i;

interface VersionTarget {
  /** The place of the argument that names the package. */
  readonly at: number;
  readonly pack: string;
  /** The text of the argument before the package. */
  readonly before: string;
  /** The exact version, if the entry has one. */
  readonly version: string | undefined;
  readonly spec: PackageSpec | undefined;
}

/** Finds the argument that names the package: that of npx, or the first one with an exact version. */
function findTarget({ command = '', args: written = [] }: WrittenServer): VersionTarget | undefined {
  const args = written.map(String);
  const spec = parsePackageCommand({ file: command, args })?.spec;
  if (spec === undefined) {
    const at = args.findIndex((arg) => PINNED.test(arg));
    const [, pack, version] = PINNED.exec(args[at] ?? '') ?? [];
    return pack === undefined ? undefined : { at, pack, before: '', version, spec: undefined };
  }
  const { name: pack, text, wanted } = spec;
  const at = args.findIndex((arg) => arg === text || (arg.startsWith('-') && arg.endsWith(`=${text}`)));
  const before = (args[at] ?? text).slice(0, -text.length);
  return { at, pack, before, version: wanted.type === 'exact' ? wanted.version : undefined, spec };
}

/** Replaces the parts of an entry that start the server, and keeps the others. */
function withOthers(entry: WrittenServer, started: WrittenServer): WrittenServer {
  const { command: _command, args: _args, env: _env, url: _url, headers: _headers, type: _type, ...others } = entry;
  return { ...started, ...others };
}
