import { isDeepStrictEqual } from 'node:util';
import { type HiddenSecret, hideSecrets } from '../hide-secrets.ts';
import type { WrittenServer } from '../server-entry.ts';
import { type ClientFile, type Machine, MCP_CLIENTS } from './client-files.ts';
import { toServer } from './to-server.ts';
import { readFileSync, statSync } from 'node:fs';
import { isPlainObject } from '../../../../tool/json.ts';
import { messageOf } from '../../../../tool/texts/message-of.ts';

/** A client's server in the format of a board. */
export interface ClientServer {
  /** The name on the board. */
  readonly name: string;
  /** The clients that have it; `file` belongs to the first. */
  readonly clients: readonly string[];
  readonly file: string;
  readonly entry: WrittenServer;
  readonly secrets: readonly HiddenSecret[];
}

export interface ClientFinding {
  readonly servers: readonly ClientServer[];
  /** Skipped servers with their reasons. */
  readonly skipped: readonly { readonly name: string; readonly file: string; readonly reason: string }[];
  /** Unreadable files with their reasons. */
  readonly faults: readonly { readonly file: string; readonly message: string }[];
  /** All searched paths. */
  readonly looked: readonly string[];
}

/** Finds the MCP servers of clients on this machine. `known` are those of the board. */
export async function findClientServers(
  clients: readonly string[],
  machine: Machine,
  known: Readonly<Record<string, unknown>>,
): Promise<ClientFinding> {
  const servers: ClientServer[] = [];
  /** The entries with secrets, in the same order. */
  const plains: WrittenServer[] = [];
  const skipped: { name: string; file: string; reason: string }[] = [];
  const faults: { file: string; message: string }[] = [];
  const looked: string[] = [];
  const taken = new Map<string, string>();
  for (const client of clients) {
    const reader = MCP_CLIENTS[client];
    if (reader === undefined) continue;
    for (const file of reader.files(machine)) {
      looked.push(file.path);
      const said = await readClientFile(file);
      if (said.type === 'failed') faults.push({ file: file.path, message: said.message });
      if (said.type !== 'read') continue;
      for (const [name, value] of said.servers) {
        const converted = toServer(value, { client: reader, machine });
        if (converted.type === 'skipped') {
          skipped.push({ name, file: file.path, reason: converted.reason });
          continue;
        }
        const plain = converted.entry;
        const at = plains.findIndex((other) => isDeepStrictEqual(other, plain));
        const same = servers[at];
        if (same !== undefined) {
          servers[at] = { ...same, clients: [...new Set([...same.clients, client])] };
          continue;
        }
        const { entry, secrets } = hideSecrets(name, plain, taken);
        if (known[name] !== undefined) {
          const reason = isSame(known[name], entry)
            ? 'it is already on the board'
            : `the board has another server with this name. Remove that first: pegboard mcp remove ${name}`;
          skipped.push({ name, file: file.path, reason });
          continue;
        }
        plains.push(plain);
        servers.push({
          name: freeName(name, client, servers),
          clients: [client],
          file: file.path,
          entry,
          secrets,
        });
      }
    }
  }
  return { servers, skipped, faults, looked };
}

/** Returns true when two entries are the same except for the names of their secrets. */
function isSame(one: unknown, other: unknown): boolean {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(/\$\{[^}]*\}/g, '$'));
  return isDeepStrictEqual(plain(one), plain(other));
}

/** Returns a unique name: two clients may use one name for different servers. */
function freeName(name: string, client: string, servers: readonly ClientServer[]): string {
  const isFree = (candidate: string): boolean => servers.every((other) => other.name !== candidate);
  if (isFree(name)) return name;
  for (let count = 1; ; count++) {
    const candidate = `${name}-${client}${count === 1 ? '' : `-${count}`}`;
    if (isFree(candidate)) return candidate;
  }
}

/** The servers as written in a client's file, or the reason why it cannot be read. */
type ReadFile =
  | { readonly type: 'absent' }
  | { readonly type: 'read'; readonly servers: readonly (readonly [name: string, value: unknown])[] }
  | { readonly type: 'failed'; readonly message: string };

/** Generous, because some clients keep conversations in the same file. */
const MAX_BYTES = 100_000_000;

async function readClientFile({ path, format, sections }: ClientFile): Promise<ReadFile> {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) return { type: 'absent' };
    if (stats.size > MAX_BYTES) return { type: 'failed', message: 'is larger than 100 MB' };
    const text = readFileSync(path, 'utf8');
    const data = format === 'toml' ? (await import('smol-toml')).parse(text) : parseJsonc(text);
    const servers = sections.flatMap((keys) => {
      const found = keys.reduce<unknown>((value, key) => (isPlainObject(value) ? value[key] : undefined), data);
      return isPlainObject(found) ? Object.entries(found) : [];
    });
    return { type: 'read', servers };
  } catch (error) {
    return { type: 'failed', message: `cannot be read${whereIn(messageOf(error))}` };
  }
}

/** Extracts the position of a syntax error. Parsers quote the text, which may contain a secret, so nothing else is shown. */
function whereIn(message: string): string {
  const place = /\(line \d+ column \d+\)|line:? \d+/i.exec(message)?.[0];
  const code = /^[A-Z]{3,}(?=:)/.exec(message)?.[0];
  return code === undefined ? `: it has a syntax error ${place ?? ''}`.trimEnd() : ` (${code})`;
}

/** Parses JSON as editors write it: with comments and trailing commas. */
function parseJsonc(text: string): unknown {
  const plain = text.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(plain);
  } catch {
    const token = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*[}\]])/g;
    const stripped = plain.replaceAll(token, (part) => (part.startsWith('"') ? part : ' '));
    return stripped.trim() === '' ? {} : JSON.parse(stripped);
  }
}
