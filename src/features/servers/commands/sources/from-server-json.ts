import { escapeText, joinEscaped } from '../../../../tool/texts/escape-variables.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import { UsageError } from '../../../../cli/shared/usage-error.ts';
import { type WrittenServer, shortName } from '../server-entry.ts';
import type { FoundServer } from '../hide-secrets.ts';
import { type InputFiller, readInput, type WantedInput } from './wanted-inputs.ts';

type Json = Readonly<Record<string, unknown>>;

interface ReadOptions {
  readonly shown: string;
  readonly name: string | undefined;
  /** Uses the server's address with this transport instead of a package. */
  readonly transport: 'http' | 'sse' | undefined;
  readonly command: string;
  filler(name: string): InputFiller;
}

/** The command that runs a package of a registry. */
interface Runner {
  readonly program: string;
  /** Returns the words before the package's own arguments. */
  readonly words: (parts: {
    readonly runtime: readonly string[];
    readonly env: readonly string[];
  }) => readonly string[];
}

const NPM = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i;
const PLAIN = /^[A-Za-z0-9][\w.+-]*$/;
const IMAGE = /^[a-z0-9][\w./:@-]*$/i;

/**
 * Reads a `server.json` of the MCP registry: its first package that can run here, or its address. Throws a `UsageError` for an invalid
 * document and for missing values.
 */
export async function readServerJson(text: string, options: ReadOptions): Promise<FoundServer> {
  const { shown, command, transport } = options;
  const wrong = (why: string): UsageError => new UsageError(`${shown} ${why}`, command);
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw wrong('is not valid JSON.');
  }
  // The registry's API wraps the document.
  const value = isPlainObject(read) && isPlainObject(read['server']) ? read['server'] : read;
  if (!isPlainObject(value) || typeof value['name'] !== 'string' || !/^[\w.-]+\/[\w.-]+$/.test(value['name']))
    throw wrong('is not a server.json: it has no name such as io.github.ada/desk.');
  const name = options.name ?? shortName(value['name']);
  const filler = options.filler(name);
  const notes: string[] = [];
  for (const item of transport === undefined ? listOf(value['packages']) : []) {
    const runner = toRunner(item);
    if (typeof runner === 'string') {
      notes.push(runner);
      continue;
    }
    const entry = await runPackage(item, runner, filler);
    filler.check();
    return { name, entry, notes: [...notes, ...filler.notes], secrets: filler.secrets };
  }
  const wanted = transport === undefined ? undefined : transport === 'sse' ? 'sse' : 'streamable-http';
  const remote = listOf(value['remotes']).find(({ type }) => wanted === undefined || type === wanted);
  if (remote === undefined) throw wrong(`has no package or address that can be used here. ${notes.join(' ')}`.trim());
  const entry = await reach(remote, filler);
  filler.check();
  if (!/^https?:\/\/\S+$/.test(entry.url ?? '')) throw wrong(`has an invalid address: ${JSON.stringify(entry.url)}.`);
  return { name, entry, notes: [...notes, ...filler.notes], secrets: filler.secrets };
}

/** Returns the command for a package, or the reason why it cannot run. */
function toRunner({ registryType, identifier, version, transport }: Json): Runner | string {
  const id = String(identifier);
  const said = typeof version === 'string' ? version : undefined;
  if (!isPlainObject(transport) || transport['type'] !== 'stdio') return `The package ${id} does not run over stdio.`;
  if (said !== undefined && !PLAIN.test(said)) return `The package ${id} has an invalid version.`;
  const at = said === undefined ? id : `${id}@${said}`;
  switch (registryType) {
    case 'npm':
      if (!NPM.test(id)) break;
      return { program: 'npx', words: ({ runtime }) => ['-y', ...runtime.filter((word) => word !== '-y'), at] };
    case 'pypi':
      if (!PLAIN.test(id)) break;
      return { program: 'uvx', words: ({ runtime }) => [...runtime, at] };
    case 'nuget':
      if (!PLAIN.test(id)) break;
      return { program: 'dnx', words: ({ runtime }) => [...runtime, at, '--yes', '--'] };
    case 'oci':
      if (!IMAGE.test(id)) break;
      return {
        program: 'docker',
        words: ({ runtime, env }) => ['run', '-i', '--rm', ...env.flatMap((key) => ['-e', key]), ...runtime, id],
      };
    case 'mcpb':
      return `Download ${id}, check its sha256, and add the file: pegboard mcp add FILE.mcpb.`;
  }
  return `Packages of "${String(registryType)}" such as ${JSON.stringify(id.slice(0, 80))} cannot be run here.`;
}

async function runPackage(item: Json, runner: Runner, filler: InputFiller): Promise<WrittenServer> {
  const env: [string, string][] = [];
  for (const variable of listOf(item['environmentVariables'])) {
    const key = String(variable['name']);
    const input = { ...readInput(variable, key), mayUseEnvironment: true };
    const value = await fillTemplate(variable, input, filler);
    if (value !== undefined) env.push([key, value]);
  }
  const runtime = await toWords(item['runtimeArguments'], filler);
  const own = await toWords(item['packageArguments'], filler);
  const args = [...runner.words({ runtime, env: env.map(([key]) => key) }), ...own];
  return { command: runner.program, args, ...(env.length === 0 ? {} : { env: Object.fromEntries(env) }) };
}

async function reach(remote: Json, filler: InputFiller): Promise<WrittenServer> {
  const url = await substitute(String(remote['url']), remote['variables'], filler);
  const headers: [string, string][] = [];
  for (const header of listOf(remote['headers'])) {
    const key = String(header['name']);
    const value = await fillTemplate(header, readInput(header, key), filler);
    if (value !== undefined) headers.push([key, value]);
  }
  return {
    ...(remote['type'] === 'sse' ? { type: 'sse' } : {}),
    url,
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  };
}

/** Converts arguments to words: a flag and its value are two. */
async function toWords(value: unknown, filler: InputFiller): Promise<string[]> {
  const words: string[] = [];
  for (const argument of listOf(value)) {
    const { type, name, valueHint } = argument;
    const flag = type === 'named' && typeof name === 'string' ? [escapeText(name)] : [];
    const key = typeof valueHint === 'string' ? valueHint : (flag[0] ?? 'argument');
    const filled = await fillTemplate(argument, readInput(argument, key), filler);
    const isBare = flag.length > 0 && argument['value'] === undefined && argument['valueHint'] === undefined;
    if (filled !== undefined) words.push(...flag, filled);
    else if (
      isBare &&
      argument['isRequired'] !== true &&
      argument['default'] === undefined &&
      argument['format'] === undefined
    )
      words.push(...flag);
  }
  return words;
}

/** Returns the preset value with its variables filled in, or asks for the input. */
async function fillTemplate(described: Json, input: WantedInput, filler: InputFiller): Promise<string | undefined> {
  const { value, variables } = described;
  return typeof value === 'string' ? substitute(value, variables, filler) : filler.fill(input);
}

/** Fills in the template's own variables. Variables of the board stay text: the template must not read them. */
async function substitute(template: string, variables: unknown, filler: InputFiller): Promise<string> {
  const known = isPlainObject(variables) ? variables : {};
  const parts: string[] = [];
  let at = 0;
  for (const { 0: whole, 1: key = '', index } of template.matchAll(/\{([^{}]+)\}/g)) {
    const value = Object.hasOwn(known, key) ? await filler.fill(readInput(known[key], key)) : whole;
    parts.push(escapeText(template.slice(at, index)), value ?? '');
    at = index + whole.length;
  }
  return joinEscaped([...parts, escapeText(template.slice(at))]);
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
