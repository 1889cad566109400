import { readFileSync, realpathSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { isPlainObject } from '../../../tool/json.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import type { ClientFile } from './clients.ts';
import type { FileFormat } from './edit/server-file.ts';
import { JSONC_FORMAT, valueUnder } from './edit/jsonc-format.ts';

/** A server in a client's file. */
export interface WrittenServerEntry {
  readonly section: readonly string[];
  readonly name: string;
  readonly value: unknown;
}

/** A client's file that was read. */
export interface ClientText {
  readonly file: ClientFile;
  /** The path without links. */
  readonly realPath: string;
  readonly text: string;
  readonly format: FileFormat;
  readonly servers: readonly WrittenServerEntry[];
  /** The reason why it must not be changed, if any. */
  readonly fixed?: string;
}

export type ReadClientText =
  | { readonly type: 'absent' }
  | { readonly type: 'read'; readonly client: ClientText }
  | { readonly type: 'failed'; readonly message: string };

/** Generous, because some clients keep conversations in the same file. */
const MAX_BYTES = 100_000_000;

/** Reads the servers of a client's file. `folder` is that of the project: links of its files may not leave it. */
export async function readClientText(file: ClientFile, folder: string): Promise<ReadClientText> {
  try {
    const stats = statSync(file.path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) return { type: 'absent' };
    if (stats.size > MAX_BYTES) return { type: 'failed', message: 'is larger than 100 MB' };
    const realPath = realpathSync(file.path);
    const bytes = readFileSync(realPath);
    const text = bytes.toString('utf8');
    const format = await formatOf(file);
    const data = format.parse(text);
    const fixed = whyFixed(file, { realPath, folder, mode: stats.mode, isText: Buffer.from(text).equals(bytes) });
    const servers = file.sections.flatMap((section) => serversUnder(data, section));
    return {
      type: 'read',
      client: { file, realPath, text, format, servers, ...(fixed === undefined ? {} : { fixed }) },
    };
  } catch (error) {
    return { type: 'failed', message: `cannot be read${whereIn(messageOf(error))}` };
  }
}

/** Returns the format of a client's file. The parser of TOML is loaded when a file needs it. */
export async function formatOf({ format }: Pick<ClientFile, 'format'>): Promise<FileFormat> {
  return format === 'toml' ? (await import('./edit/toml-format.ts')).TOML_FORMAT : JSONC_FORMAT;
}

/** Lists the servers under a path of keys. */
export function serversUnder(data: unknown, section: readonly string[]): WrittenServerEntry[] {
  const found = valueUnder(data, section);
  return isPlainObject(found) ? Object.entries(found).map(([name, value]) => ({ section, name, value })) : [];
}

interface FileFacts {
  readonly realPath: string;
  readonly folder: string;
  readonly mode: number;
  readonly isText: boolean;
}

function whyFixed({ isProject }: ClientFile, { realPath, folder, mode, isText }: FileFacts): string | undefined {
  // Root may write to files that say otherwise, but the person who removed the permission meant it.
  if ((mode & 0o200) === 0) return 'is read-only';
  if (!isText) return 'is not UTF-8 text';
  // A cloned folder could bring a link to a file of its user.
  const isOutside = isProject && relative(realpathSync(folder), realPath).startsWith('..');
  return isOutside ? `is a link to ${realPath}, outside of this folder` : undefined;
}

/** Extracts the position of a syntax error. Parsers quote the text, which may contain a secret, so nothing else is shown. */
function whereIn(message: string): string {
  const place = /\(line \d+ column \d+\)|line:? \d+/i.exec(message)?.[0];
  const code = /^[A-Z]{3,}(?=:)/.exec(message)?.[0];
  return code === undefined ? `: it has a syntax error ${place ?? ''}`.trimEnd() : ` (${code})`;
}
