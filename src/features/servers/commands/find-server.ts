import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { childEnvironment } from '../../../platform/process/child-environment.ts';
import { describeOutput } from '../../../platform/process/describe-exit.ts';
import { runProcess } from '../../../platform/process/run-process.ts';
import { findProgram } from '../../../cli/shared/board/programs.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import type { ChangedFile } from '../../../load/change-file.ts';
import { shortName } from './server-entry.ts';
import type { FoundServer } from './hide-secrets.ts';
import { probeUrl } from './probe-url.ts';
import type { InputFiller } from './sources/wanted-inputs.ts';

interface FindOptions {
  readonly name: string | undefined;
  readonly transport: 'http' | 'sse' | undefined;
  readonly command: string;
  readonly context: CliContext;
  /** Values for the inputs of a server's description, by key. */
  readonly given: ReadonlyMap<string, string>;
  /** The config file for the entry. */
  readonly file: ChangedFile;
}

const URL_LIKE = /^https?:\/\//i;
/** The name of an npm package, optionally with a version. */
const NPM_NAME = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(?:@[\w.^~<>=*+-]+)?$/i;
/** Programs that run what their first argument names. */
const RUNNERS = /^(?:npx|bunx|pnpm|pnpx|yarn|uvx|pipx|uv|node|bun|deno|python3?|docker|podman|tsx)$/;
/** Programs for scripts that are not executable. */
const INTERPRETERS: readonly (readonly [end: RegExp, program: string])[] = [
  [/\.(?:[cm]?js|[cm]?ts)$/, 'node'],
  [/\.py$/, 'python3'],
];
const NPM_TIME = 8000;

/**
 * Finds the server that the words of a command line describe: an address, an npm package, a `server.json`, a bundle, a command, or a
 * name followed by a command.
 */
export async function findServer(words: readonly string[], options: FindOptions): Promise<FoundServer> {
  const [first = '', ...rest] = words;
  if (URL_LIKE.test(first)) {
    if (rest.length > 0)
      throw new UsageError(`An address takes no arguments; got "${rest[0]}" as well.`, options.command);
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

/** Returns true when the words are a command with its arguments, without a name in front. */
function isCommandLine([first = '', second = '']: readonly string[]): boolean {
  return second.startsWith('-') || RUNNERS.test(first) || first.includes('/');
}

function isPath(word: string, { context }: FindOptions): boolean {
  return word.includes('/') || existsSync(resolve(context.cwd, word));
}

/** Reads a file that describes or contains a server. */
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
  if (parsed === null) throw new UsageError(`"${url}" is not an address. Write it as https://host/mcp.`, command);
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
  if (!NPM_NAME.test(word)) throw new UsageError(`"${word}" is not the name of an npm package.`, options.command);
  const hasVersion = word.lastIndexOf('@') > 0;
  const version = hasVersion ? undefined : await findVersion(word, context);
  const notes =
    hasVersion || version !== undefined
      ? []
      : [`The version of ${word} could not be determined, so each start may use another. Write ${word}@VERSION.`];
  const pinned = version === undefined ? word : `${word}@${version}`;
  return { name, entry: { command: 'npx', args: ['-y', pinned, ...args] }, notes };
}

/** Finds the version of a package: the installed one, or the latest in the registry. */
async function findVersion(name: string, context: CliContext): Promise<string | undefined> {
  for (let folder = context.cwd; ; folder = dirname(folder)) {
    try {
      const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
      if (isVersion(version)) return version;
    } catch {
      // Not here: look in the folder above.
    }
    if (dirname(folder) === folder) break;
  }
  return findLatestVersion(name, context);
}

/** Asks the registry for the latest version of a package; `undefined` if it cannot be asked. */
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
  // Absolute paths work from every folder.
  const path = first.includes('/') || isScript ? resolve(context.cwd, first) : first;
  const entry = interpreter === undefined ? { command: path, args } : { command: interpreter, args: [path, ...args] };
  const isMissing = program === undefined && interpreter === undefined;
  const notes = isMissing ? [`${first} was not found. Install it before you use the server.`] : [];
  return { name: name ?? nameOf(words), entry, notes };
}

/** Derives a name from a command line: `npx -y @scope/server-memory` becomes `memory`. */
function nameOf([first = '', ...args]: readonly string[]): string {
  if (!RUNNERS.test(first)) return shortName(first);
  const image = /^(?:docker|podman)$/.test(first) ? args.findLast((arg) => !arg.startsWith('-')) : undefined;
  const skipped = new Set(['run', 'exec', 'dlx', 'x', '-m']);
  const word = image?.replace(/:[\w.-]+$/, '') ?? args.find((arg) => !arg.startsWith('-') && !skipped.has(arg));
  return shortName(word ?? first);
}
