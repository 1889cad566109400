import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CLIENT_NAMES, type ClientName } from '../../../../cli/shared/clients/client-names.ts';
import { type ClientText, readClientText } from '../../../../cli/shared/clients/client-text.ts';
import { type ClientFile, type Machine, MCP_CLIENTS } from '../../../../cli/shared/clients/clients.ts';
import { isOwnEntry } from '../../../../cli/shared/clients/own-entry.ts';
import { planRestoring } from '../../../../cli/shared/clients/plan-client-change.ts';
import type { FileChange } from '../../../../platform/store/change-files.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import { messageOf } from '../../../../tool/texts/message-of.ts';
import { planRecord, readImportRecord, type RecordedFile } from './import-record.ts';

/** A client's file that is restored. */
interface RestoredFile {
  readonly client: ClientName;
  readonly file: string;
  /** Our entries, which go. */
  readonly removed: readonly string[];
  readonly restored: readonly string[];
  /** Names that other servers have now. */
  readonly kept: readonly string[];
  readonly isDeleted: boolean;
}

export interface PlannedUninstall {
  readonly files: readonly RestoredFile[];
  readonly faults: readonly { readonly file: string; readonly message: string }[];
  /** The copies of the files before the import. */
  readonly copies: readonly string[];
  readonly changes: readonly FileChange[];
}

/** Plans removing the board from one client, or from all, and restoring the servers that were taken from it. */
export async function planUninstall(client: ClientName | undefined, machine: Machine): Promise<PlannedUninstall> {
  const record = readImportRecord(machine.env);
  const files: RestoredFile[] = [];
  const faults: { file: string; message: string }[] = [];
  const changes: FileChange[] = [];
  const done = new Set<RecordedFile>();
  const seen = new Set<string>();
  for (const { name, file, isOwn } of candidates(client, machine, record.files)) {
    const read = await readClientText(file, machine.cwd);
    const recorded = record.files.filter(
      ({ path, realPath }) => path === file.path || (read.type === 'read' && realPath === read.client.realPath),
    );
    if (read.type === 'absent') {
      // Without its folder, the file may be on a disk that is not there now.
      const isDeleted = existsSync(dirname(file.path));
      if (recorded.length > 0 && !isDeleted) faults.push({ file: file.path, message: 'is gone with its folder' });
      for (const one of isDeleted ? recorded : []) {
        done.add(one);
        files.push({ client: name, file: file.path, removed: [], restored: [], kept: [], isDeleted: false });
      }
      continue;
    }
    if (read.type === 'failed') {
      faults.push({ file: file.path, message: read.message });
      continue;
    }
    const text = read.client;
    if (seen.has(text.realPath)) continue;
    seen.add(text.realPath);
    if (recorded.length === 0 && !text.servers.some(({ value }) => isOwnEntry(value))) continue;
    try {
      const led = isOwn ? undefined : otherPlace(recorded, text);
      const fixed = led === undefined ? text.fixed : `leads to ${text.realPath}, and led to ${led} before`;
      if (fixed !== undefined) throw new Error(fixed);
      const plan = planFile(name, text, recorded);
      files.push(plan.file);
      changes.push(plan.change);
      for (const one of recorded) done.add(one);
    } catch (error) {
      faults.push({ file: file.path, message: messageOf(error) });
    }
  }
  const copies = [...done].flatMap(({ copy }) => (copy !== undefined && existsSync(copy) ? [copy] : []));
  const rest = record.files.filter((one) => !done.has(one));
  // The record goes last: without it the files could not be restored.
  const all = done.size === 0 ? changes : [...changes, planRecord(record, rest)];
  return { files, faults, copies, changes: all };
}

/**
 * Lists the files that may have an entry of ours: those of this machine, and those of imports in other folders. `isOwn` marks the user's files
 * for all folders, whose links the user may change.
 */
function candidates(
  client: ClientName | undefined,
  machine: Machine,
  recorded: readonly RecordedFile[],
): { readonly name: ClientName; readonly file: ClientFile; readonly isOwn: boolean }[] {
  const names = client === undefined ? CLIENT_NAMES : [client];
  const here = names.flatMap((name) =>
    MCP_CLIENTS[name].files(machine).map((file) => ({ name, file, isOwn: !file.isProject })),
  );
  const elsewhere = recorded
    .filter(({ client: name, path }) => names.includes(name) && here.every(({ file }) => file.path !== path))
    .map(({ client: name, path, format, sections }) => {
      const places = sections.map(({ section }) => section);
      return { name, file: { path, format, isProject: false, sections: places }, isOwn: false };
    });
  return [...here, ...elsewhere];
}

/**
 * Returns the place that a file had when servers were taken from it, if its path leads elsewhere now. Whoever writes into a project folder
 * could lead it to any file of the user, or lead the secrets of the servers to a file that others read.
 */
function otherPlace(recorded: readonly RecordedFile[], { realPath }: ClientText): string | undefined {
  const places = recorded.map((one) =>
    // The path of a new file was recorded before the file was there.
    one.isNew ? join(realpathSync(dirname(one.path)), basename(one.path)) : one.realPath,
  );
  return places.includes(realPath) ? undefined : places[0];
}

function planFile(
  client: ClientName,
  text: ClientText,
  recorded: readonly RecordedFile[],
): { readonly file: RestoredFile; readonly change: FileChange } {
  const taken = recorded.flatMap(({ sections }) => sections);
  const plan = planRestoring(text, taken);
  const { path } = text.file;
  const isDeleted = recorded.some(({ isNew }) => isNew) && isEmpty(text, plan.text);
  const { removed, restored, kept } = plan;
  return {
    file: { client, file: path, removed, restored, kept, isDeleted },
    change: { path, before: text.text, after: isDeleted ? undefined : plan.text },
  };
}

/** Returns true when a file has no values, apart from empty sections. */
function isEmpty({ format, file }: ClientText, text: string): boolean {
  const data = text.trim() === '' ? {} : format.parse(text);
  const tops = new Set(file.sections.map(([key]) => key));
  const isNothing = (value: unknown): boolean => isPlainObject(value) && Object.values(value).every(isNothing);
  return isPlainObject(data) && Object.entries(data).every(([key, value]) => tops.has(key) && isNothing(value));
}
