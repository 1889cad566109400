import { readFileSync, statSync } from 'node:fs';
import { isPlainObject } from '../../../../tool/json.ts';
import { messageOf } from '../../../../tool/texts/message-of.ts';
import type { ClientFile } from './client-files.ts';

/** The servers as written in a client's file, or the reason why it cannot be read. */
export type ReadFile =
  | { readonly type: 'absent' }
  | { readonly type: 'read'; readonly servers: readonly (readonly [name: string, value: unknown])[] }
  | { readonly type: 'failed'; readonly message: string };

/** Generous, because some clients keep conversations in the same file. */
const MAX_BYTES = 100_000_000;

export async function readClientFile({ path, format, sections }: ClientFile): Promise<ReadFile> {
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
