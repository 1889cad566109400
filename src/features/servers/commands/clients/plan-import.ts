import { hasRoots, noteOwnChange } from '../../../../cli/shared/board/change-board.ts';
import { boardNameOf } from '../../../../cli/shared/clients/board-entry.ts';
import type { Machine } from '../../../../cli/shared/clients/clients.ts';
import type { CliContext } from '../../../../cli/shared/cli-context.ts';
import { planChange } from '../../../../load/change-file.ts';
import { loadConfig } from '../../../../load/load-config.ts';
import { loadFile } from '../../../../load/load-file.ts';
import { START_FOLDER } from '../../../../load/variables/fill-file.ts';
import { keepSecrets } from '../keep-secrets.ts';
import type { WrittenServer } from '../server-entry.ts';
import type { ClientFinding, ClientPlace, ClientServer } from './find-client-servers.ts';
import type { ImportBoard } from './find-import-board.ts';
import { readImportRecord } from './import-record.ts';
import { type PlannedReplacing, planReplacing } from './replace-servers.ts';

/** A planned import of servers. */
export interface PlannedImport {
  readonly board: ImportBoard;
  /** The servers with the entries for the board. */
  readonly servers: readonly (ClientServer & { readonly entry: WrittenServer })[];
  /** The variables to set before the servers work. */
  readonly toSet: readonly string[];
  /** True when clients' files have values for some of them. */
  readonly hasValues: boolean;
  /** True when the policy of the board refuses the servers' tools for now. */
  readonly isRefused: boolean;
  readonly replacing: PlannedReplacing | undefined;
  /** Writes everything, or nothing. */
  write(): Promise<void>;
}

interface ImportOptions {
  readonly chosen: readonly ClientServer[];
  /** The places of chosen servers that the board has already. */
  readonly known: readonly ClientPlace[];
  readonly board: ImportBoard;
  readonly secrets: 'env' | 'file';
  readonly isReplacing: boolean;
  /** True for all servers of all clients. */
  readonly isAll: boolean;
  readonly machine: Machine;
  readonly context: CliContext;
}

export async function planImport(found: ClientFinding, options: ImportOptions): Promise<PlannedImport> {
  const { chosen, known, board, secrets, isReplacing, isAll, machine, context } = options;
  const { file } = board;
  // A client does not have the variables of this terminal.
  const unset = uniqueSecrets(chosen).filter(({ variable, value }) => isReplacing || context.env[variable] !== value);
  const kept = keepSecrets(file, secrets === 'file' ? unset : [], context);
  const servers = chosen.map((server) => ({ ...server, entry: kept.refer(server.entry) }));
  const entries = Object.fromEntries(servers.map(({ name, entry }) => [name, entry]));
  const change = planChange(file, servers.length === 0 ? [] : [{ section: 'mcpServers', set: entries }], context);
  const toSet = variablesToSet(servers, context);
  const places = [...chosen.flatMap((server) => server.places), ...known];
  // A client that loses nothing gets the board only with those of all clients.
  const texts = found.texts.filter(({ client }) => isAll || places.some((place) => place.client === client));
  const replacing = isReplacing
    ? await planReplacing(texts, {
        places,
        board: await describeBoard(board, change.text, context),
        machine,
        record: readImportRecord(context.env),
      })
    : undefined;
  return {
    board,
    servers,
    toSet,
    replacing,
    hasValues: unset.some(({ variable }) => toSet.includes(variable)),
    isRefused: file.text !== undefined && hasRoots(file.text, file.shown),
    async write() {
      await noteOwnChange(file, change.text, context);
      kept.write([...(servers.length === 0 ? [] : [change.change]), ...(replacing?.changes ?? [])]);
    },
  };
}

/** Returns the name of a board for clients and the variables that it needs, with its new text. */
async function describeBoard(
  { file, folder }: ImportBoard,
  text: string,
  { env, cwd }: CliContext,
): Promise<{ readonly file: string; readonly name: string; readonly needs: readonly string[] }> {
  const look = { env, cwd, mode: 'look' } as const;
  const planned = loadFile(Buffer.from(text), file.path, { ...look, folder });
  const before = file.text === undefined ? [] : (await loadConfig([file.path], look)).files;
  const all = [...before.filter((one) => one.imports.length === 0), planned];
  const needs = [...new Set([...before, planned].flatMap((one) => one.needs))].toSorted();
  return { file: file.path, name: boardNameOf([file.path], all), needs };
}

function uniqueSecrets(servers: readonly ClientServer[]): ClientServer['secrets'] {
  return [...new Map(servers.flatMap(({ secrets }) => secrets).map((secret) => [secret.variable, secret])).values()];
}

/** Lists variables of entries that are not set. */
function variablesToSet(servers: readonly Pick<ClientServer, 'entry'>[], { env }: CliContext): string[] {
  const named = servers.flatMap(({ entry }) => [...JSON.stringify(entry).matchAll(/(?<!\$)\$\{([A-Za-z_]\w*)\}/g)]);
  return [...new Set(named.map(([, name = '']) => name))]
    .filter((name) => name !== START_FOLDER && (env[name] ?? '') === '')
    .toSorted();
}
