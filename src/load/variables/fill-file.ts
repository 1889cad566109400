import { resolve } from 'node:path';
import { isPlainObject } from '../../tool/json.ts';
import { BOARD_KEYS, type Dialect } from '../dialects/detect-dialect.ts';
import type { FileContext } from '../file-context.ts';
import { type BoardMode, NOT_TRUSTED } from '../board-mode.ts';
import type { FileContents } from '../changes/recorded-contents.ts';
import { readSecret, secretSourceOf } from './read-secret.ts';
import { interpolate, readSecretFile, type VariableLookup, variablesIn } from './interpolate.ts';

/** Hosts of addresses on this machine; an address without a host is that of a socket. */
const LOOPBACK: ReadonlySet<string> = new Set(['', 'localhost', '127.0.0.1', '[::1]']);

type Data = Readonly<Record<string, unknown>>;

/** The built-in variable for the folder that the board was started in. */
export const START_FOLDER = 'PEGBOARD_CWD';

interface FillOptions {
  readonly dialect: Dialect;
  readonly env: VariableLookup['env'];
  /** The folder that relative paths of `${file:…}` start from. */
  readonly folder: string;
  /** The value of `${PEGBOARD_CWD}`: the folder that the board was started in. */
  readonly cwd: string;
  /** `look` resolves no secrets: texts that name one stay as written. */
  readonly mode: BoardMode;
  /** The contents of files that a person accepted. Default: those on disk. */
  readonly contents?: FileContents | undefined;
}

/** Returns the data of a file with its variables filled in; for CLImax, with the booleans of YAML 1.1 instead. */
export function fillFile(context: FileContext, { dialect, env, folder, cwd, mode, contents }: FillOptions): Data {
  const { yaml } = context;
  if (dialect === 'climax' || dialect === 'climax-policy') {
    const value = yaml.asYaml11();
    return isPlainObject(value) ? value : {};
  }
  const written = isPlainObject(yaml.value) ? yaml.value : {};
  const isBoard = dialect === 'pegboard';
  const raw = isBoard ? readClientConfig(written, context) : written;
  const readFile = (path: string): string => {
    if (!isBoard) throw new Error('ctx files have no ${file:…}');
    const file = resolve(folder, path);
    context.readFrom.add(file);
    if (contents === undefined) return readSecretFile(file);
    return contents.read(file, (path) => Buffer.from(readSecretFile(path))).toString('utf8');
  };
  const lookup = readVariables(raw['variables'], { env, folder, cwd, mode, readFile, keepsUnset: !isBoard });
  for (const name of lookup.unresolved ?? []) {
    // Treated like the secret itself, so that definitions are the same for the lock.
    context.addPlaceholder(lookup.variables[name] ?? '');
    context.add('note', ['variables', name], `its secret is not resolved: ${NOT_TRUSTED}.`);
  }
  for (const source of isBoard ? Object.values(Object(raw['variables'])).map(secretSourceOf) : [])
    if (typeof source?.['file'] === 'string') context.readFrom.add(resolve(folder, source['file']));
  for (const name of lookup.secret ?? []) context.addLikelySecrets('secret', lookup.variables[name] ?? '');
  // A ctx file may use variables that only its commands know; these stay as written.
  const data = context.interpolate(raw, lookup, { missing: isBoard ? 'error' : 'note', mayBeOff: isBoard });
  if (mode === 'look' && isStrangeStore(raw['store'], lookup)) context.unresolved.push(['store']);
  if (isBoard || !Array.isArray(data['tools'])) return data;
  const tools: unknown[] = data['tools'];
  return { ...data, tools: tools.map((tool) => (isPlainObject(tool) ? { type: 'run', ...tool } : tool)) };
}

/**
 * Returns true for a store address that a file invented: another machine, which would receive passwords from the environment, or an address
 * built from variables. A single environment variable is an address that the user chose.
 */
function isStrangeStore(text: unknown, { variables }: VariableLookup): boolean {
  if (typeof text !== 'string') return false;
  const named = variablesIn(text);
  const [only] = named;
  if (only === undefined) return !LOOPBACK.has(URL.parse(text)?.hostname ?? '');
  return named.length > 1 || !/^\s*\$\{[^${}]*\}\s*$/.test(text) || Object.hasOwn(variables, only.name);
}

/** Reads the file's own variables, which may use those above them. One that needs an unset variable has no value, unless `keepsUnset`. */
function readVariables(
  value: unknown,
  {
    keepsUnset,
    folder,
    cwd,
    mode,
    ...from
  }: Pick<VariableLookup, 'env' | 'readFile'> &
    Pick<FillOptions, 'folder' | 'cwd' | 'mode'> & { readonly keepsUnset: boolean },
): VariableLookup {
  const variables: Record<string, string> = keepsUnset ? {} : { [START_FOLDER]: cwd };
  const unusable = new Map<string, readonly string[]>();
  const secret = new Set<string>();
  const failures = new Map<string, string>();
  const unresolved = new Set<string>();
  const lookup = { ...from, variables, unusable, secret, failures, unresolved };
  for (const [name, text] of Object.entries(isPlainObject(value) ? value : {})) {
    const source = keepsUnset ? undefined : secretSourceOf(text);
    if (source !== undefined && mode === 'look') {
      variables[name] = `\${${name}}`;
      unresolved.add(name);
      continue;
    }
    if (source !== undefined) {
      const read = readSecret(source, { env: from.env, folder });
      if (read.ok) {
        variables[name] = read.value;
        secret.add(name);
      } else {
        unusable.set(name, [name]);
        failures.set(name, read.reason);
      }
      continue;
    }
    const { text: filled, missing } = interpolate(String(text), lookup);
    if (variablesIn(String(text)).some((used) => unresolved.has(used.name))) unresolved.add(name);
    if (missing.length === 0 || keepsUnset) variables[name] = filled;
    else unusable.set(name, missing);
  }
  return lookup;
}

/** Takes the servers from the settings of an MCP client (Claude, Cursor, VS Code) and ignores the rest. */
function readClientConfig(data: Data, context: FileContext): Data {
  const taken = readClientServers(data);
  const others = Object.keys(data).filter((key) => key !== 'mcpServers' && key !== 'servers' && key !== '$schema');
  if (taken !== data)
    for (const key of others) context.add('note', [key], 'is a setting of an MCP client and is ignored.');
  return taken;
}

/** Returns a board file as it is, and of the settings of an MCP client only the servers. */
export function readClientServers(data: Data): Data {
  const { mcpServers, servers } = data;
  const found = isPlainObject(mcpServers) ? mcpServers : servers;
  const isBoard = BOARD_KEYS.some((key) => key !== 'mcpServers' && key in data);
  return !isPlainObject(found) || isBoard ? data : { mcpServers: found };
}

const SECRET_FIELDS: ReadonlySet<string> = new Set(['client_secret', 'private_key', 'assertion', 'id_token']);

/** Stores the secrets in the servers of a file: variables, headers, URLs and arguments with secret names. */
export function noteServerSecrets(servers: unknown, context: FileContext): void {
  for (const [id, server] of Object.entries(isPlainObject(servers) ? servers : {})) {
    if (!isPlainObject(server)) continue;
    for (const [name, value] of pairsOf(server['env']))
      context.addSecrets(name, value, ['mcpServers', id, 'env', name]);
    for (const [name, value] of pairsOf(server['headers'])) {
      context.addLikelySecrets(name, value);
      // Servers only repeat the token.
      const token = /^(?:bearer|basic|token)\s+(\S+)$/i.exec(value)?.[1];
      if (token !== undefined) context.addLikelySecrets('token', token);
    }
    for (const [name, value] of pairsOf(server['oauth'])) {
      if (SECRET_FIELDS.has(name)) context.addLikelySecrets('secret', value);
    }
    const provider = isPlainObject(server['oauth']) ? server['oauth']['identity_provider'] : undefined;
    for (const [name, value] of pairsOf(provider))
      if (SECRET_FIELDS.has(name)) context.addLikelySecrets('secret', value);
    const url = typeof server['url'] === 'string' ? URL.parse(server['url']) : null;
    for (const [name, value] of url?.searchParams ?? []) context.addLikelySecrets(name, value);
    if (url !== null && url.password !== '') context.addLikelySecrets('password', url.password);
    const args = (Array.isArray(server['args']) ? server['args'] : []).map(String);
    for (const [index, arg] of args.entries()) {
      const [flag = '', joined] = arg.split(/=(.*)/s);
      if (!flag.startsWith('-')) continue;
      const value = joined ?? args[index + 1] ?? '';
      if (!value.startsWith('-')) context.addLikelySecrets(flag, value);
    }
  }
}

function pairsOf(value: unknown): [string, string][] {
  return Object.entries(isPlainObject(value) ? value : {}).map(([name, item]) => [name, String(item)]);
}
