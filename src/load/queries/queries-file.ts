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
  /** The hash of the tool they were written for. */
  readonly for: string;
  /** The model that wrote them. */
  readonly by: string;
  /** By language, as the person who asked for them named it. */
  readonly queries: Readonly<Record<string, readonly string[]>>;
}

/** The queries of a board by tool: not there, read, or unreadable. */
type QueriesReading =
  | { readonly type: 'absent' }
  | { readonly type: 'read'; readonly tools: ReadonlyMap<string, WrittenQueries> }
  | { readonly type: 'broken'; readonly message: string };

const VERSION = 1;
/** Characters of a query: a longer one is no query. */
const LONGEST_QUERY = 200;
/** Queries of one tool, over all languages. */
export const MOST_QUERIES = 100;
const LANGUAGE = /^[\p{L}\p{M}\d _()-]{1,40}$/u;

/** The file beside a lock that has the queries: `pegboard.queries` beside `pegboard.lock`. It is YAML, and no config file. */
export function queriesFileOf(lock: string): string {
  return lock.replace(/\.lock$/, '.queries');
}

/** What queries are written for: another description, or other parameters, want other queries. */
export function hashForQueries({ metadata, inputSchema }: Pick<Tool, 'metadata' | 'inputSchema'>): string {
  return hashOf({ name: metadata.name, description: metadata.description, inputSchema });
}

/** All queries of a tool in one list. */
export function allQueries({ queries }: Pick<WrittenQueries, 'queries'>): string[] {
  return Object.values(queries).flat();
}

/** Why a text is no query that may be used; `undefined` for one that may. */
export function findQueryFault(query: string): string | undefined {
  if (query.length > LONGEST_QUERY) return `has more than ${LONGEST_QUERY} characters`;
  if (!/\p{L}/u.test(query)) return 'has no letter';
  const [finding] = inspectText('query', query);
  return finding === undefined ? undefined : `${finding.kind}: ${finding.what}`;
}

/** Reads the queries of a board. A file that says anything but queries is no good as a whole. */
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
    throw new Error(`is no file of queries of version ${VERSION}. Write it anew with pegboard enrich.`);
  return new Map(Object.entries(tools).map(([name, entry]) => [name, parseEntry(name, entry)]));
}

function parseEntry(name: string, value: unknown): WrittenQueries {
  const shown = `tools.${name}`;
  const { for: hash, by, queries } = checkKeys(value, shown, ['for', 'by', 'queries']);
  if (typeof hash !== 'string' || typeof by !== 'string') throw new Error(`${shown}: for and by must be texts.`);
  if (!isPlainObject(queries)) throw new Error(`${shown}.queries must be lists by language.`);
  const read: Record<string, string[]> = {};
  for (const [language, list] of Object.entries(queries)) {
    if (!LANGUAGE.test(language)) throw new Error(`${shown}.queries: ${JSON.stringify(language)} is no language.`);
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

/** Whether a text can name a language in the file. */
export function isLanguage(text: string): boolean {
  return LANGUAGE.test(text);
}

const HEAD = [
  '# Queries that a model wrote for the tools of this board (pegboard enrich).',
  '# Delete or change those that people would not say, then pin the file with pegboard lock.',
];

/** The text of the file: sorted, a query a line, so that a change can be reviewed. */
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

/** JSON's texts are YAML's too. */
function quote(text: string): string {
  return JSON.stringify(text);
}

/** Writes the file at once, so that no other process reads half of it. */
export function writeQueriesFile(path: string, tools: ReadonlyMap<string, WrittenQueries>): void {
  // A new file: a link that lies there would lead elsewhere.
  const draft = `${path}.${randomUUID()}.tmp`;
  writeFileSync(draft, formatQueries(tools), { flag: 'wx' });
  renameSync(draft, path);
}
