import { isDeepStrictEqual } from 'node:util';
import { hideSecrets, type HiddenSecret } from '../hide-secrets.ts';
import type { WrittenServer } from '../server-entry.ts';
import { MCP_CLIENTS, type Machine } from './client-files.ts';
import { readClientFile } from './read-client-file.ts';
import { toServer } from './to-server.ts';

/** A server that a client has, as a board would have it. */
export interface ClientServer {
  /** What it will be called on the board. */
  readonly name: string;
  /** The names of the clients that have it, the first one's file first. */
  readonly clients: readonly string[];
  readonly file: string;
  readonly entry: WrittenServer;
  readonly secrets: readonly HiddenSecret[];
}

/** What was found in the files of clients. */
export interface ClientFinding {
  readonly servers: readonly ClientServer[];
  /** What was passed over, each with the reason. */
  readonly skipped: readonly { readonly name: string; readonly file: string; readonly reason: string }[];
  /** Files that are there and cannot be read, each with the reason. */
  readonly faults: readonly { readonly file: string; readonly message: string }[];
  /** Every file that was looked for. */
  readonly looked: readonly string[];
}

/** Looks for the MCP servers that clients have on this machine. `known` are those of the board. */
export async function findClientServers(
  clients: readonly string[],
  machine: Machine,
  known: Readonly<Record<string, unknown>>,
): Promise<ClientFinding> {
  const servers: ClientServer[] = [];
  /** Their entries with the secrets, in the same order. */
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
            ? 'it is on the board already'
            : `the board has another server of this name. Remove that first: pegboard mcp remove ${name}`;
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

/** Whether two entries say the same; the names of their secrets may differ. */
function isSame(one: unknown, other: unknown): boolean {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(/\$\{[^}]*\}/g, '$'));
  return isDeepStrictEqual(plain(one), plain(other));
}

/** Two clients may give one name to different servers. */
function freeName(name: string, client: string, servers: readonly ClientServer[]): string {
  const isFree = (candidate: string): boolean => servers.every((other) => other.name !== candidate);
  if (isFree(name)) return name;
  for (let count = 1; ; count++) {
    const candidate = `${name}-${client}${count === 1 ? '' : `-${count}`}`;
    if (isFree(candidate)) return candidate;
  }
}
