import { join } from 'node:path';
import { type ClientName } from '../../../../cli/shared/clients/client-names.ts';
import { isClientName } from '../../../../cli/shared/clients/clients.ts';
import type { TakenSection } from '../../../../cli/shared/clients/plan-client-change.ts';
import { stateFolder } from '../../../../load/data-folder.ts';
import type { FileChange } from '../../../../platform/store/change-files.ts';
import { readPrivateFile } from '../../../../platform/store/private-file.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import { ToolError } from '../../../../tool/tool-error.ts';

/** A client's file from which servers were taken. */
export interface RecordedFile {
  readonly client: ClientName;
  readonly path: string;
  readonly realPath: string;
  readonly format: 'json' | 'toml';
  /** True when the import created the file. */
  readonly isNew: boolean;
  /** The copy of the file before the import. */
  readonly copy?: string | undefined;
  readonly sections: readonly TakenSection[];
}

/** The servers that imports took out of clients' files. It contains their secrets. */
export interface ImportRecord {
  /** The path of the file, which only this user can read. */
  readonly path: string;
  readonly text: string | undefined;
  readonly files: readonly RecordedFile[];
}

/** Reads the record of this user's imports. */
export function readImportRecord(env: Readonly<Record<string, string | undefined>>): ImportRecord {
  const path = join(stateFolder(env), 'clients.json');
  const text = readPrivateFile(path);
  if (text === undefined) return { path, text, files: [] };
  const files = parseFiles(text);
  if (files !== undefined) return { path, text, files };
  const message = `${path} is damaged: it has the servers that "mcp import --replace" took from clients. The copies beside the clients' files (NAME.pegboard-backup) have them too. Restore those, then delete ${path}.`;
  throw new ToolError({ code: 'execution_failed', message });
}

/** Plans writing the record with other files. */
export function planRecord({ path, text }: ImportRecord, files: readonly RecordedFile[]): FileChange {
  const after = files.length === 0 ? undefined : `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`;
  return { path, before: text, after };
}

/** Adds what an import took from a file to what earlier ones took. */
export function joinRecords(before: readonly RecordedFile[], added: readonly RecordedFile[]): RecordedFile[] {
  const rest = added.filter(({ realPath }) => before.every((one) => one.realPath !== realPath));
  const joined = before.map((one) => {
    const more = added.find(({ realPath }) => realPath === one.realPath);
    return more === undefined ? one : { ...one, sections: [...one.sections, ...more.sections] };
  });
  return [...joined, ...rest];
}

function parseFiles(text: string): readonly RecordedFile[] | undefined {
  try {
    const kept: unknown = JSON.parse(text);
    const files: unknown = isPlainObject(kept) && kept['version'] === 1 ? kept['files'] : undefined;
    return Array.isArray(files) && files.every(isRecorded) ? files : undefined;
  } catch {
    return undefined;
  }
}

/** Only this program writes the file; its shape tells if it is whole. */
function isRecorded(value: unknown): value is RecordedFile {
  if (!isPlainObject(value) || !Array.isArray(value['sections'])) return false;
  const { client, path, realPath, format, sections } = value;
  const isFile = [path, realPath].every((one) => typeof one === 'string') && (format === 'json' || format === 'toml');
  return isFile && typeof client === 'string' && isClientName(client) && sections.every(isSection);
}

function isSection(value: unknown): value is TakenSection {
  if (!isPlainObject(value)) return false;
  const { section, servers, parts } = value;
  return Array.isArray(section) && isPlainObject(servers) && Array.isArray(parts) && parts.every(isPlainObject);
}
