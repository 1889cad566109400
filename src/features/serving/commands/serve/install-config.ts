import { chmodSync } from 'node:fs';
import type { ClientEntry, WrittenEntry } from '../../../../cli/shared/clients/client-entry.ts';
import { formatOf, readClientText } from '../../../../cli/shared/clients/client-text.ts';
import type { ClientFile, McpClient } from '../../../../cli/shared/clients/clients.ts';
import { isSame, planCopy, planPutting } from '../../../../cli/shared/clients/plan-client-change.ts';
import { changeFiles } from '../../../../platform/store/change-files.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import { ToolError } from '../../../../tool/tool-error.ts';

/** A planned change of a client's file. */
export interface PlannedInstall {
  readonly file: string;
  /** The new contents of the file. */
  readonly text: string;
  /** True when an entry with this name exists. */
  readonly replaces: boolean;
  /** Writes the file after a copy of it. Returns the path of the copy. */
  write(): string | undefined;
}

interface Installation {
  readonly name: string;
  readonly entry: ClientEntry;
  /** The folder of the project: links of its files may not leave it. */
  readonly folder: string;
  /** True when the entry contains a token, which only this user may read. */
  readonly isSecret?: boolean;
}

/** Plans adding the board to a client's file. The rest of the file stays, with its comments. */
export async function planInstall(
  client: McpClient,
  file: ClientFile,
  { name, entry, folder, isSecret = false }: Installation,
): Promise<PlannedInstall> {
  const read = await readClientText(file, folder);
  const [section = []] = file.sections;
  const addition = await formatEntry(file, { name, value: client.entry(entry) });
  const why = read.type === 'failed' ? read.message : read.type === 'read' ? read.client.fixed : undefined;
  if (why !== undefined) {
    const message = `${file.path} ${why}, so it was not changed. Add this yourself:\n${addition}`;
    throw new ToolError({ code: 'execution_failed', message });
  }
  const before = read.type === 'read' ? read.client : undefined;
  const known = before?.servers.find((server) => server.name === name && isSame(server.section, section));
  const value = keepValues(client.entry(entry), known?.value);
  const given = before ?? { file, format: await formatOf(file), text: '' };
  const text = planPutting(given, { section, server: { name, value } });
  return {
    file: file.path,
    text,
    replaces: known !== undefined,
    write() {
      const copy = before === undefined ? undefined : planCopy(file.path, before.text);
      changeFiles([...(copy === undefined ? [] : [copy]), { path: file.path, before: before?.text, after: text }]);
      if (isSecret) chmodSync(file.path, 0o600);
      return copy?.path;
    },
  };
}

/** Formats an entry as the whole file of a client. */
export async function formatEntry(
  file: ClientFile,
  server: { readonly name: string; readonly value: WrittenEntry },
): Promise<string> {
  const [section = []] = file.sections;
  return (await formatOf(file)).create('', section, server).trimEnd();
}

/** Keeps values that a person filled in: variables, and the token in place of its placeholder. */
function keepValues(entry: WrittenEntry, before: unknown): WrittenEntry {
  const known = isPlainObject(before) ? before : {};
  const keep = (key: 'env' | 'headers'): WrittenEntry => {
    const [now, then] = [entry[key], known[key]];
    return isPlainObject(now) && isPlainObject(then) ? { [key]: { ...now, ...then } } : {};
  };
  const standsForToken = JSON.stringify(entry['headers'] ?? {}).includes('Bearer YOUR_');
  return { ...entry, ...keep('env'), ...(standsForToken ? keep('headers') : {}) };
}
