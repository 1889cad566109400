import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { childEnvironment } from '../../../platform/process/child-environment.ts';
import { describeOutput } from '../../../platform/process/describe-exit.ts';
import { runProcess } from '../../../platform/process/run-process.ts';
import { findProgram } from '../../board/programs.ts';
import type { CliContext } from '../../cli-context.ts';
import { UsageError } from '../../command-line/usage-error.ts';
import type { ChangedFile } from '../../../load/change-file.ts';
import type { FoundServer } from './found-server.ts';
import { probeUrl } from './probe-url.ts';
import type { InputFiller } from './sources/wanted-inputs.ts';
import { shortName } from './server-entry.ts';

/** What is said about a server besides its words. */
interface FindOptions {
  readonly name: string | undefined;
  readonly transport: 'http' | 'sse' | undefined;
  readonly command: string;
  readonly context: CliContext;
  /** Values that the description of a server asks for, by key. */
  readonly given: ReadonlyMap<string, string>;
  /** The config file that the entry will stand in. */
  readonly file: ChangedFile;
}

const URL_LIKE = /^https?:\/\//i;
/** The name of a package on npm, with a version perhaps. */
const NPM_NAME = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(?:@[\w.^~<>=*+-]+)?$/i;
/** Programs whose first word that is no option says what is run. */
const RUNNERS = /^(?:npx|bunx|pnpm|pnpx|yarn|uvx|pipx|uv|node|bun|deno|python3?|docker|podman|tsx)$/;
/** What runs a script that is not executable itself. */
const INTERPRETERS: readonly (readonly [end: RegExp, program: string])[] = [
  [/\.(?:[cm]?js|[cm]?ts)$/, 'node'],
  [/\.py$/, 'python3'],
];
const NPM_TIME = 8000;

/**
 * The server that words of a command line mean: an address, a package on npm, a `server.json`, a bundle, a command, or a name and its
 * command.
 */
export async function findServer(words: readonly string[], options: FindOptions): Promise<FoundServer> {
  const [first = '', ...rest] = words;
  if (URL_LIKE.test(first)) {
    if (rest.length > 0) throw new UsageError(`An address takes no words; got "${rest[0]}" as well.`, options.command);
    return findByUrl(first, options);
  }
  if (rest.length === 0 && /\.(?:json|mcpb)$/i.test(first)) return findByFile(first, options);
  // `NAME -- npx …`, `NAME https://…`
  const isNamed = options.name === undefined && rest.length > 0 && !first.startsWith('@') && !isCommandLine(words);
  if (isNamed) return findServer(rest, { ...options, name: first });
  const isUnknown = rest.length === 0 && NPM_NAME.test(first) && !isPath(first, options);
  const isPackage = first.startsWith('@') || (isUnknown && findProgram(first, options.context) === undefined);
  return isPackage ? findByPackage(first, rest, options) : findByCommand(words, options);
}

/** Whether the words are a command with its arguments, without a name before it. */
function isCommandLine([first = '', second = '']: readonly string[]): boolean {
  return second.startsWith('-') || RUNNERS.test(first) || first.includes('/');
}

function isPath(word: string, { context }: FindOptions): boolean {
  return word.includes('/') || existsSync(resolve(context.cwd, word));
}

/** A file that describes a server, or holds it. */
async function findByFile(
  word: string,
  { name, transport, command, context, given, file }: FindOptions,
): Promise<FoundServer> {
  const path = resolve(context.cwd, word);
  if (!existsSync(path)) throw new UsageError(`There is no file ${word}.`, command);
  const [{ createFiller }, bytes] = [await import('./sources/wanted-inputs.ts'), readFileSync(path)];
  const filler = (server: string): InputFiller => createFiller({ server, given, command, context });
  if (/\.mcpb$/i.test(word)) {
    const { readBundle } = await import('./sources/from-bundle.ts');
    return readBundle(bytes, { shown: word, name, command, file, context, filler });
  }
  const { readServerJson } = await import('./sources/from-server-json.ts');
  return readServerJson(bytes.toString('utf8'), { shown: word, name, transport, command, filler });
}

async function findByUrl(url: string, { name, transport, context, command }: FindOptions): Promise<FoundServer> {
  const parsed = URL.parse(url);
  if (parsed === null) throw new UsageError(`"${url}" is no address. Write it as https://host/mcp.`, command);
  const made = parsed.hostname
    .replace(/^(?:www|mcp|api)\./, '')
    .split('.')
    .at(0);
  const found = transport === undefined ? await probeUrl(url, context) : { transport, notes: [] };
  const called = name ?? shortName(/^[\d:[]/.test(parsed.hostname) ? 'server' : (made ?? ''));
  const notes = found.notes.map((note) => note.replaceAll('NAME', called));
  return { name: called, entry: { ...(found.transport === 'sse' ? { type: 'sse' } : {}), url }, notes };
}

async function findByPackage(word: string, args: readonly string[], options: FindOptions): Promise<FoundServer> {
  const { name = shortName(word), context } = options;
  if (!NPM_NAME.test(word)) throw new UsageError(`"${word}" is no name of a package on npm.`, options.command);
  const hasVersion = word.lastIndexOf('@') > 0;
  const version = hasVersion ? undefined : await findVersion(word, context);
  const notes =
    hasVersion || version !== undefined
      ? []
      : [`The version of ${word} could not be found out, so each start may take another. Write ${word}@VERSION.`];
  const pinned = version === undefined ? word : `${word}@${version}`;
  return { name, entry: { command: 'npx', args: ['-y', pinned, ...args] }, notes };
}

/** The version of a package: the one that is installed here, or what the registry calls the latest. */
async function findVersion(name: string, context: CliContext): Promise<string | undefined> {
  for (let folder = context.cwd; ; folder = dirname(folder)) {
    try {
      const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
      if (isVersion(version)) return version;
    } catch {
      // Not here: look further up.
    }
    if (dirname(folder) === folder) break;
  }
  return findLatestVersion(name, context);
}

/** What the registry calls the latest version of a package; `undefined` where it cannot be asked. */
export async function findLatestVersion(name: string, { cwd, env, signal }: CliContext): Promise<string | undefined> {
  const outcome = await runProcess({
    file: 'npm',
    args: ['view', '--json', name, 'version'],
    cwd,
    env: childEnvironment({ from: env, allowed: ['npm_config_*', 'HTTPS_PROXY', 'https_proxy'] }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(NPM_TIME)]),
    stdin: '',
  });
  if (outcome.type === 'failed' || outcome.code !== 0) return undefined;
  const said = describeOutput(outcome.stdout).trim().replaceAll('"', '');
  return isVersion(said) ? said : undefined;
}

function isVersion(value: unknown): value is string {
  return typeof value === 'string' && /^\d+\.\d+\.\d+[\w.+-]*$/.test(value);
}

function findByCommand(words: readonly string[], { name, context }: FindOptions): FoundServer {
  const [first = '', ...args] = words;
  const program = findProgram(first, context);
  const isScript = program === undefined && existsSync(resolve(context.cwd, first));
  const interpreter = isScript ? INTERPRETERS.find(([end]) => end.test(first))?.[1] : undefined;
  // A path is written so that it works from every folder.
  const path = first.includes('/') || isScript ? resolve(context.cwd, first) : first;
  const entry = interpreter === undefined ? { command: path, args } : { command: interpreter, args: [path, ...args] };
  const isMissing = program === undefined && interpreter === undefined;
  const notes = isMissing ? [`${first} was not found. Install it before the server is used.`] : [];
  return { name: name ?? nameOf(words), entry, notes };
}

/** What a command line runs: `npx -y @scope/server-memory` is `memory`. */
function nameOf([first = '', ...args]: readonly string[]): string {
  if (!RUNNERS.test(first)) return shortName(first);
  const image = /^(?:docker|podman)$/.test(first) ? args.findLast((arg) => !arg.startsWith('-')) : undefined;
  const skipped = new Set(['run', 'exec', 'dlx', 'x', '-m']);
  const word = image?.replace(/:[\w.-]+$/, '') ?? args.find((arg) => !arg.startsWith('-') && !skipped.has(arg));
  return shortName(word ?? first);
}
