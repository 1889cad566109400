import type { ChangedFile } from '../../../load/change-file.ts';
import { readYaml } from '../../../load/yaml/read-yaml.ts';
import { isPlainObject } from '../../../tool/json.ts';

/** An entry under `mcpServers`, as commands write it. */
export interface WrittenServer {
  readonly type?: 'http' | 'sse';
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly env_pass?: readonly string[];
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly timeout?: string | number;
  readonly start_timeout?: string | number;
  readonly disabled?: true;
}

/** Describes the command or address of a server on one line. */
export function describeServer({ command, args = [], url = '' }: WrittenServer): string {
  return command === undefined ? url : [command, ...args].map(quote).join(' ');
}

function quote(word: string): string {
  return /^[\w@%+=:,./${}~-]+$/.test(word) ? word : JSON.stringify(word);
}

/** The keys in their usual order. */
const KEYS = [
  'type',
  'command',
  'args',
  'env',
  'env_pass',
  'cwd',
  'url',
  'headers',
  'include',
  'exclude',
  'timeout',
  'start_timeout',
  'disabled',
] as const satisfies readonly (keyof WrittenServer)[];

/** Removes undefined and empty parts of an entry. */
export function tidyServer(entry: {
  readonly [K in keyof WrittenServer]?: WrittenServer[K] | undefined;
}): WrittenServer {
  const isSaid = (value: unknown): boolean =>
    value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(KEYS.flatMap((key) => (isSaid(entry[key]) ? [[key, entry[key]]] : [])));
}

/** Derives a short name for a server: `@modelcontextprotocol/server-memory@1.2.3` becomes `memory`. */
export function shortName(text: string): string {
  const base = text
    .replace(/(?<=.)@[^/@]*$/, '')
    .replace(/^.*[\\/]/, '')
    .replace(/\.[cm]?[jt]s$|\.py$/, '');
  const name = base
    .replace(/^(?:mcp-server|server|mcp)[-_]/, '')
    .replace(/[-_](?:mcp-server|mcp|server)$/, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'server' : name;
}

/** Returns the servers of a config file as they are written. */
export function serversOf({ text, shown }: Pick<ChangedFile, 'text' | 'shown'>): Readonly<Record<string, unknown>> {
  const value = text === undefined || text.trim() === '' ? {} : readYaml(Buffer.from(text), shown).value;
  const servers = isPlainObject(value) ? value['mcpServers'] : undefined;
  return isPlainObject(servers) ? servers : {};
}
