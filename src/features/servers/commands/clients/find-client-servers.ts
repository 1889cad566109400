import { isDeepStrictEqual } from 'node:util';
import type { ClientName } from '../../../../cli/shared/clients/client-names.ts';
import { type ClientText, readClientText } from '../../../../cli/shared/clients/client-text.ts';
import { type Machine, MCP_CLIENTS } from '../../../../cli/shared/clients/clients.ts';
import { type HiddenSecret, hideSecrets } from '../hide-secrets.ts';
import type { WrittenServer } from '../server-entry.ts';
import { findOnBoard } from './find-on-board.ts';
import { toServer } from './to-server.ts';

/** The place of a server in a client's file. */
export interface ClientPlace {
  readonly client: ClientName;
  readonly text: ClientText;
  readonly section: readonly string[];
  /** Its name there. */
  readonly name: string;
}

/** A client's server in the format of a board. */
export interface ClientServer {
  /** The name on the board. */
  readonly name: string;
  /** The clients that have it; `file` belongs to the first. */
  readonly clients: readonly string[];
  readonly file: string;
  readonly entry: WrittenServer;
  readonly secrets: readonly HiddenSecret[];
  readonly places: readonly ClientPlace[];
  /** True for a server of the board whose secrets are not set there. */
  readonly isOnBoard: boolean;
}

export interface ClientFinding {
  readonly servers: readonly ClientServer[];
  /** The places of servers that the board already has. */
  readonly known: readonly ClientPlace[];
  /** The files that were read. */
  readonly texts: readonly { readonly client: ClientName; readonly text: ClientText }[];
  /** Skipped servers with their reasons. */
  readonly skipped: readonly { readonly name: string; readonly file: string; readonly reason: string }[];
  /** Unreadable files with their reasons. */
  readonly faults: readonly { readonly file: string; readonly message: string }[];
  /** All searched paths. */
  readonly looked: readonly string[];
}

interface FindOptions {
  readonly machine: Machine;
  /** The servers of the board, and its folder. */
  readonly board: { readonly servers: Readonly<Record<string, unknown>>; readonly folder: string };
  /** The folder of a client's window, for a user's servers. Default: the project folder. */
  readonly workspace?: string | undefined;
  /** Leaves out files that cannot be changed. */
  readonly isReplacing: boolean;
  /** Gives servers another name when the board has another one with theirs. */
  readonly isRenaming: boolean;
}

/** Finds the MCP servers of clients on this machine. */
export async function findClientServers(
  clients: readonly ClientName[],
  { machine, board, workspace = machine.cwd, isReplacing, isRenaming }: FindOptions,
): Promise<ClientFinding> {
  const servers: ClientServer[] = [];
  /** The entries with secrets, in the same order. */
  const plains: WrittenServer[] = [];
  const [known, skipped]: [ClientPlace[], { name: string; file: string; reason: string }[]] = [[], []];
  const taken = new Map<string, string>();
  const { texts, faults, looked } = await readTexts(clients, { machine, isReplacing });
  for (const { client, text } of texts) {
    const { file } = text;
    for (const { section, name, value } of text.servers) {
      const skip = (reason: string): unknown => skipped.push({ name, file: file.path, reason });
      const reading = { client: MCP_CLIENTS[client], machine, workspace: file.isProject ? machine.cwd : workspace };
      const converted = toServer(value, reading);
      if (converted.type === 'skipped') {
        skip(converted.reason);
        continue;
      }
      const place: ClientPlace = { client, text, section, name };
      const plain = converted.entry;
      const at = plains.findIndex((other) => isDeepStrictEqual(other, plain));
      const same = servers[at];
      if (same !== undefined) {
        servers[at] = {
          ...same,
          clients: [...new Set([...same.clients, client])],
          places: [...same.places, place],
        };
        continue;
      }
      const { entry, secrets } = hideSecrets(name, plain, taken);
      const found = findOnBoard({ name, plain, entry }, { ...board, env: machine.env, isRenaming });
      if (found.type === 'same') {
        known.push(place);
        skip('it is already on the board');
        continue;
      }
      if (found.type === 'occupied' && !isRenaming) {
        skip(`the board has another server with this name. Remove that first: pegboard mcp remove ${name}`);
        continue;
      }
      plains.push(plain);
      const isFree = (candidate: string): boolean =>
        servers.every((other) => other.name !== candidate) && board.servers[candidate] === undefined;
      const unset = found.type === 'unset' ? found.name : undefined;
      const isOnBoard = unset !== undefined && servers.every((other) => other.name !== unset);
      servers.push({
        name: isOnBoard ? unset : freeName(name, client, isFree),
        clients: [client],
        file: file.path,
        entry,
        secrets,
        places: [place],
        isOnBoard,
      });
    }
  }
  return { servers, known, texts, skipped, faults, looked };
}

/** Reads the files of clients, each once: a link may lead to the file of another client. */
async function readTexts(
  clients: readonly ClientName[],
  { machine, isReplacing }: Pick<FindOptions, 'machine' | 'isReplacing'>,
): Promise<Pick<ClientFinding, 'texts' | 'looked'> & { faults: { file: string; message: string }[] }> {
  const texts: { client: ClientName; text: ClientText }[] = [];
  const faults: { file: string; message: string }[] = [];
  const looked: string[] = [];
  for (const client of clients) {
    for (const file of MCP_CLIENTS[client].files(machine)) {
      looked.push(file.path);
      const read = await readClientText(file, machine.cwd);
      if (read.type === 'failed') faults.push({ file: file.path, message: read.message });
      if (read.type !== 'read') continue;
      const text = read.client;
      if (texts.some((other) => other.text.realPath === text.realPath)) continue;
      if (!isReplacing || text.fixed === undefined) texts.push({ client, text });
      else if (text.servers.length > 0)
        faults.push({ file: file.path, message: `${text.fixed}, so its servers stay there` });
    }
  }
  return { texts, faults, looked };
}

/** Returns a unique name: two clients may use one name for different servers. */
function freeName(name: string, client: string, isFree: (name: string) => boolean): string {
  if (isFree(name)) return name;
  for (let count = 1; ; count++) {
    const candidate = `${name}-${client}${count === 1 ? '' : `-${count}`}`;
    if (isFree(candidate)) return candidate;
  }
}
