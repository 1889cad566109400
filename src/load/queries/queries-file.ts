import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { inspectText } from '../../guard/lock/inspect-description.ts';
import { hashOf } from '../../guard/lock/tool-pin.ts';
import { isPlainObject } from '../../tool/json.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { Tool } from '../../tool/tool.ts';
import { readYaml } from '../yaml/read-yaml.ts';

/** Queries that a model wrote for a tool. */
export interface WrittenQueries {
  /** The hash of the tool at the time of writing. */
  readonly for: string;
  /** The model that wrote them. */
  readonly by: string;
  /** Queries by language, with the names that the user gave. */
  readonly queries: Readonly<Record<string, readonly string[]>>;
}

/** The result of reading the queries of a board by tool. */
type QueriesReading =
  | { readonly type: 'absent' }
  | { readonly type: 'read'; readonly tools: ReadonlyMap<string, WrittenQueries> }
  | { readonly type: 'broken'; readonly message: string };

const VERSION = 1;
const LONGEST_QUERY = 200;
export const MOST_QUERIES = 100;
const LANGUAGE = /^[\p{L}\p{M}\d _()-]{1,40}$/u;

/** Returns the file of queries next to a lock: `pegboard.queries` for `pegboard.lock`. It is YAML, but not a config file. */
export function queriesFileOf(lock: string): string {
  return lock.replace(/\.lock$/, '.queries');
}

/** Hashes the parts of a tool that its queries depend on: description and parameters. */
export function hashForQueries({ metadata, inputSchema }: Pick<Tool, 'metadata' | 'inputSchema'>): string {
  return hashOf({ name: metadata.name, description: metadata.description, inputSchema });
}

export function allQueries({ queries }: Pick<WrittenQueries, 'queries'>): string[] {
  return Object.values(queries).flat();
}

/** Returns the reason why a query may not be used, if any. */
export function findQueryFault(query: string): string | undefined {
  if (query.length > LONGEST_QUERY) return `has more than ${LONGEST_QUERY} characters`;
  if (!/\p{L}/u.test(query)) return 'has no letter';
  const [finding] = inspectText('query', query);
  return finding === undefined ? undefined : `${finding.kind}: ${finding.what}`;
}

/** Reads the queries of a board. Rejects a file with anything but queries as a whole. */
export function readQueriesFile(path: string): QueriesReading {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isAbsent ? { type: 'absent' } : { type: 'broken', message: `cannot be read: ${messageOf(error)}` };
  }
  try {
    return { type: 'read', tools: parseQueries(readYaml(bytes, path).value) };
  } catch (error) {
    return { type: 'broken', message: messageOf(error) };
  }
}

function parseQueries(value: unknown): Map<string, WrittenQueries> {
  const { version, tools } = checkKeys(value, 'the file', ['version', 'tools']);
  if (version !== VERSION || !isPlainObject(tools))
    throw new Error(`is not a file of queries of version ${VERSION}. Write it again with pegboard enrich.`);
  return new Map(Object.entries(tools).map(([name, entry]) => [name, parseEntry(name, entry)]));
}

function parseEntry(name: string, value: unknown): WrittenQueries {
  const shown = `tools.${name}`;
  const { for: hash, by, queries } = checkKeys(value, shown, ['for', 'by', 'queries']);
  if (typeof hash !== 'string' || typeof by !== 'string') throw new Error(`${shown}: for and by must be texts.`);
  if (!isPlainObject(queries)) throw new Error(`${shown}.queries must be lists by language.`);
  const read: Record<string, string[]> = {};
  for (const [language, list] of Object.entries(queries)) {
    if (!LANGUAGE.test(language)) throw new Error(`${shown}.queries: ${JSON.stringify(language)} is not a language.`);
    if (!Array.isArray(list) || !list.every((query) => typeof query === 'string'))
      throw new Error(`${shown}.queries.${language} must be a list of texts.`);
    read[language] = list;
  }
  if (Object.values(read).flat().length > MOST_QUERIES)
    throw new Error(`${shown} has more than ${MOST_QUERIES} queries.`);
  return { for: hash, by, queries: read };
}

function checkKeys(value: unknown, shown: string, keys: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isPlainObject(value)) throw new Error(`${shown} must have the keys ${keys.join(', ')}.`);
  const other = Object.keys(value).find((key) => !keys.includes(key));
  if (other === undefined) return value;
  throw new Error(`${shown} has the key ${JSON.stringify(other)}; only ${keys.join(', ')} may be there.`);
}

/** Returns true when a text can name a language in the file. */
export function isLanguage(text: string): boolean {
  return LANGUAGE.test(text);
}

const HEAD = [
  '# Queries that a model wrote for the tools of this board (pegboard enrich).',
  '# Delete or change those that people would not say, then pin the file with pegboard lock.',
];

/** Formats the file: sorted, one query per line, so that changes can be reviewed. */
function formatQueries(tools: ReadonlyMap<string, WrittenQueries>): string {
  const lines = [...HEAD, `version: ${VERSION}`, tools.size === 0 ? 'tools: {}' : 'tools:'];
  const names = [...tools.keys()].toSorted((a, b) => (a < b ? -1 : 1));
  for (const name of names) {
    const { for: hash, by, queries } = tools.get(name) ?? { for: '', by: '', queries: {} };
    lines.push(`  ${quote(name)}:`, `    for: ${quote(hash)}`, `    by: ${quote(by)}`, '    queries:');
    for (const [language, list] of Object.entries(queries))
      lines.push(`      ${quote(language)}:`, ...list.map((query) => `        - ${quote(query)}`));
  }
  return `${lines.join('\n')}\n`;
}

/** JSON strings are valid YAML. */
function quote(text: string): string {
  return JSON.stringify(text);
}

export function writeQueriesFile(path: string, tools: ReadonlyMap<string, WrittenQueries>): void {
  // A new file, so that an existing link is not followed.
  const draft = `${path}.${randomUUID()}.tmp`;
  writeFileSync(draft, formatQueries(tools), { flag: 'wx' });
  renameSync(draft, path);
}
