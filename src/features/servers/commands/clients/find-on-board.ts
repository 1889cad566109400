import { isDeepStrictEqual } from 'node:util';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { WrittenServer } from '../server-entry.ts';

interface ClientsServer {
  readonly name: string;
  /** The entry with its secrets. */
  readonly plain: WrittenServer;
  /** The entry with variables in their place. */
  readonly entry: WrittenServer;
}

interface KnownServers {
  readonly servers: Readonly<Record<string, unknown>>;
  /** The folder that paths in them start from. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Compares secrets too, with servers of any name. */
  readonly isRenaming: boolean;
}

/** Tells if a board has a client's server. */
type OnBoard =
  | { readonly type: 'missing' }
  | { readonly type: 'same' }
  /** The board has it without its secrets. */
  | { readonly type: 'unset'; readonly name: string }
  /** The board has another server with its name. */
  | { readonly type: 'occupied' };

/** Compares a client's server with those of a board. */
export function findOnBoard({ name, plain, entry }: ClientsServer, known: KnownServers): OnBoard {
  const { servers, isRenaming } = known;
  if (!isRenaming) {
    if (servers[name] === undefined) return { type: 'missing' };
    return { type: isAlike(servers[name], entry) ? 'same' : 'occupied' };
  }
  const wanted = fillIn(plain, known);
  const filled = Object.entries(servers).map(([other, value]) => ({ other, value, full: fillIn(value, known) }));
  if (filled.some(({ full }) => isDeepStrictEqual(full, wanted))) return { type: 'same' };
  const unset = filled.find(({ value, full }) => isAlike(value, entry) && /\$\{/.test(JSON.stringify(full)));
  if (unset !== undefined) return { type: 'unset', name: unset.other };
  return { type: servers[name] === undefined ? 'missing' : 'occupied' };
}

/** Returns true when two entries are the same except for the names of their secrets. */
function isAlike(one: unknown, other: unknown): boolean {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(/\$\{[^}]*\}/g, '$'));
  return isDeepStrictEqual(plain(one), plain(other));
}

/** Replaces variables and contents of files that are there. */
function fillIn(value: unknown, { folder, env }: KnownServers): unknown {
  const fill = (text: string): string =>
    text.replaceAll(/(?<!\$)\$\{(?:file:([^}]+)|([A-Za-z_]\w*))\}/g, (whole, file?: string, variable = '') =>
      file === undefined ? (env[variable] ?? whole) : (readSecret(resolve(folder, file)) ?? whole),
    );
  return JSON.parse(JSON.stringify(value), (_, item: unknown) => (typeof item === 'string' ? fill(item) : item));
}

function readSecret(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}
