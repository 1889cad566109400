import { lstatSync } from 'node:fs';
import { type BoardEntry, toBoardEntry } from '../../../../cli/shared/clients/board-entry.ts';
import type { ClientName } from '../../../../cli/shared/clients/client-names.ts';
import { type ClientText, formatOf } from '../../../../cli/shared/clients/client-text.ts';
import { type ClientFile, type Machine, MCP_CLIENTS } from '../../../../cli/shared/clients/clients.ts';
import { isOwnEntry } from '../../../../cli/shared/clients/own-entry.ts';
import { type Addition, isSame, planCopy, planTaking } from '../../../../cli/shared/clients/plan-client-change.ts';
import type { FileChange } from '../../../../platform/store/change-files.ts';
import { messageOf } from '../../../../tool/texts/message-of.ts';
import type { ClientFinding, ClientPlace } from './find-client-servers.ts';
import { type ImportRecord, joinRecords, planRecord, type RecordedFile } from './import-record.ts';

/** A client's file that an import changes. */
export interface ReplacedFile {
  readonly client: ClientName;
  readonly file: string;
  /** The names of the servers that are taken out. */
  readonly loses: readonly string[];
  /** The name of the entry that is added. */
  readonly gets?: string | undefined;
  readonly copy?: string | undefined;
  /** True for a file of the project folder, which others may share. */
  readonly isProject: boolean;
}

export interface PlannedReplacing {
  readonly files: readonly ReplacedFile[];
  readonly faults: readonly { readonly file: string; readonly message: string }[];
  readonly warnings: readonly string[];
  /** The record first, then copies, then the files of clients. */
  readonly changes: readonly FileChange[];
}

interface ReplaceOptions {
  readonly places: readonly ClientPlace[];
  readonly board: {
    /** The absolute path of its file. */
    readonly file: string;
    readonly name: string;
    /** The variables that it needs. */
    readonly needs: readonly string[];
  };
  readonly machine: Machine;
  readonly record: ImportRecord;
}

/** Plans taking servers out of clients' files, and one entry of the board for each client that has a file in `texts`. */
export async function planReplacing(texts: ClientFinding['texts'], options: ReplaceOptions): Promise<PlannedReplacing> {
  const { places, board, machine, record } = options;
  const start = toBoardEntry([board.file]);
  const plans: PlannedFile[] = [];
  const faults: { file: string; message: string }[] = [];
  for (const client of new Set([...texts, ...places].map((one) => one.client))) {
    const own = texts.filter((one) => one.client === client).map(({ text }) => text);
    const wanted = entryFile(client, { machine, texts: own, places });
    // An entry in the project's file does not serve other folders.
    const isServed = own.some(
      (text) => serves(text, board.file) && (!text.file.isProject || text.file.path === wanted?.path),
    );
    const target = isServed ? undefined : wanted;
    const isThere = target === undefined || own.some(({ file }) => file.path === target.path);
    for (const text of isThere ? own : [await newText(target), ...own]) {
      const taken = places.filter((place) => place.text.file.path === text.file.path);
      const entry = text.file.path === target?.path ? toAddition(text, client, { ...board, ...start }) : undefined;
      if (taken.length === 0 && entry === undefined) continue;
      try {
        plans.push(planFile(client, text, { taken, entry, record }));
      } catch (error) {
        faults.push({ file: text.file.path, message: messageOf(error) });
      }
    }
  }
  const recorded = joinRecords(
    record.files,
    plans.map((plan) => plan.recorded),
  );
  const changes = plans.flatMap((plan) => plan.changes);
  return {
    files: plans.map(({ file }) => file),
    faults,
    warnings: start.warnings,
    changes: changes.length === 0 ? [] : [planRecord(record, recorded), ...changes],
  };
}

interface PlannedFile {
  readonly file: ReplacedFile;
  readonly recorded: RecordedFile;
  readonly changes: readonly FileChange[];
}

function planFile(
  client: ClientName,
  text: ClientText,
  {
    taken,
    entry,
    record,
  }: {
    readonly taken: readonly ClientPlace[];
    readonly entry: Addition | undefined;
    readonly record: ImportRecord;
  },
): PlannedFile {
  const { path, format, isProject } = text.file;
  const planned = planTaking(text, taken, entry);
  const isNew = text.realPath === '';
  const isFirst = record.files.every(({ realPath }) => realPath !== text.realPath);
  const copy = isNew || !isFirst ? undefined : planCopy(path, text.text);
  const change = { path, before: isNew ? undefined : text.text, after: planned.text };
  const realPath = isNew ? path : text.realPath;
  return {
    file: {
      client,
      file: path,
      loses: taken.map(({ name }) => name),
      gets: entry?.server.name,
      copy: copy?.path,
      isProject,
    },
    recorded: { client, path, realPath, format, isNew, copy: copy?.path, sections: planned.taken },
    changes: copy === undefined ? [change] : [copy, change],
  };
}

/**
 * Returns the file that gets the entry of a client: the user's, or else the first that servers were taken from. A folder may have files of a
 * client that is not on this machine, which gets none.
 */
function entryFile(
  client: ClientName,
  { machine, texts, places }: Pick<ReplaceOptions, 'machine' | 'places'> & { readonly texts: readonly ClientText[] },
): ClientFile | undefined {
  const [first] = MCP_CLIENTS[client].files(machine);
  const isUsed = texts.some(({ file }) => !file.isProject);
  // A file that is there and was not read cannot be changed.
  const isOpen = (path: string): boolean =>
    texts.some(({ file }) => file.path === path) || lstatSync(path, { throwIfNoEntry: false }) === undefined;
  return isUsed && first !== undefined && isOpen(first.path)
    ? first
    : places.find((place) => place.client === client)?.text.file;
}

/** A file that does not exist yet. */
async function newText(file: ClientFile): Promise<ClientText> {
  return { file, realPath: '', text: '', format: await formatOf(file), servers: [] };
}

/** Returns true when a client's file has an entry of this board already. */
function serves({ servers, file: { sections } }: ClientText, board: string): boolean {
  const [first = []] = sections;
  return servers.some(
    ({ section, value }) =>
      isSame(section, first) && isOwnEntry(value) && JSON.stringify(value).includes(JSON.stringify(board)),
  );
}

function toAddition(
  { file, servers }: ClientText,
  client: ClientName,
  { name, needs, command, args }: ReplaceOptions['board'] & Pick<BoardEntry, 'command' | 'args'>,
): Addition | undefined {
  const known = MCP_CLIENTS[client];
  const [section] = file.sections;
  if (section === undefined) return undefined;
  const isFree = (candidate: string): boolean =>
    servers.every((other) => other.name !== candidate || !isSame(other.section, section));
  const free = [name, `${name}-board`].find(isFree) ?? `${name}-pegboard`;
  // Without a way to refer to variables, a placeholder would hide that a variable is not set.
  const refer = needs.length === 0 ? undefined : known.reference;
  const env = refer === undefined ? {} : { env: Object.fromEntries(needs.map((need) => [need, refer(need)])) };
  return { section, server: { name: free, value: known.entry({ command, args, ...env }) } };
}
