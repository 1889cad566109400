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
import type { InputFiller } from './sources/wanted-inputs.ts';
import { compareVersions } from '../../../mcp/client/packages/version-range.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { isPlainObject } from '../../../tool/json.ts';

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

/** Asks the registry for the latest version of a package, or of those in a range; `undefined` if it cannot be asked. */
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
  // A list for a range with several versions.
  const said = describeOutput(outcome.stdout).matchAll(/"([^"]+)"/g);
  const versions = [...said].flatMap(([, version]) => (isVersion(version) ? [version] : []));
  return versions.toSorted(compareVersions).at(-1);
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

/** The transport of a server at an address, with notes for the person. */
interface Probed {
  readonly transport: 'http' | 'sse';
  readonly notes: readonly string[];
}

const PATIENCE = 5000;

/** Detects the transport of an address with one request. Defaults to `http` if there is no answer. */
async function probeUrl(url: string, { signal }: Pick<CliContext, 'signal'>): Promise<Probed> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
  const looksOld = /\/sse\/?(?:\?|$)/.test(url);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(initialize()),
      redirect: 'manual',
      signal: limit,
    });
    const type = answer.headers.get('content-type') ?? '';
    const session = answer.headers.get('mcp-session-id');
    await answer.body?.cancel();
    if (session !== null) {
      await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session }, signal: limit }).catch(() => {});
    }
    if (answer.status === 401 || answer.status === 403) {
      const note = 'It needs a login: pegboard mcp login NAME, or a token with --header "Authorization: Bearer TOKEN".';
      return { transport: looksOld ? 'sse' : 'http', notes: [note] };
    }
    if (answer.ok ? /json|event-stream/.test(type) : /json/.test(type)) return { transport: 'http', notes: [] };
    if (await streams(url, limit)) return { transport: 'sse', notes: [] };
    const note = `It answered ${answer.status}, which is not an answer of an MCP server. Check the address.`;
    return { transport: looksOld ? 'sse' : 'http', notes: [note] };
  } catch (error) {
    const cause = error instanceof Error && isPlainObject(error.cause) ? error.cause['code'] : undefined;
    const reason =
      error instanceof Error && error.cause instanceof Error
        ? error.cause.message || (typeof cause === 'string' ? cause : error.message)
        : messageOf(error);
    return { transport: looksOld ? 'sse' : 'http', notes: [`It does not answer now (${reason}). Check the address.`] };
  }
}

/** Returns true when a GET request streams events: the older transport. */
async function streams(url: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(url, { headers: { accept: 'text/event-stream' }, redirect: 'manual', signal });
  const isStream = answer.ok && (answer.headers.get('content-type') ?? '').includes('event-stream');
  await answer.body?.cancel();
  return isStream;
}

function initialize(): object {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'pegboard', version: '0' } };
  return { jsonrpc: '2.0', id: 1, method: 'initialize', params };
}
