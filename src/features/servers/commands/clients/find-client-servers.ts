import { isDeepStrictEqual } from 'node:util';
import { hideSecrets, type HiddenSecret } from '../hide-secrets.ts';
import type { WrittenServer } from '../server-entry.ts';
import { MCP_CLIENTS, type Machine } from './client-files.ts';
import { readClientFile } from './read-client-file.ts';
import { toServer } from './to-server.ts';

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
