import { isPlainObject } from '../../../tool/json.ts';
import type { EvalQuery } from '../../../discovery/eval/evaluate.ts';
import { type FileItem, readItems, refuse } from './read-lines.ts';

/** Reads queries with the expected tools from YAML, JSON or JSONL files. */
export function readQueries(files: readonly string[], cwd: string): EvalQuery[] {
  return files.flatMap((file) => readItems(file, { cwd, key: 'queries' })).map((item) => readQuery(item, 'tool name'));
}

/** Reads a query with its expected names; `noun` says what they are, such as `tool name`. */
export function readQuery({ value, place }: FileItem, noun: string): EvalQuery {
  if (!isPlainObject(value)) throw refuse(place, `must be { query, expected: [${noun}s] }`);
  const { query, groups } = value;
  if (typeof query !== 'string' || query.trim() === '') throw refuse(place, 'needs a query, a non-empty text');
  const given: unknown = value['expected'] ?? value['relevant'];
  const expected = readNames(given) ?? (groups === undefined ? undefined : []);
  if (expected === undefined) throw refuse(place, `needs expected (or relevant), a ${noun} or a list of them`);
  if (groups === undefined) return { query, expected };
  const needs = Array.isArray(groups) ? groups.map((group) => readNames(group)) : [undefined];
  const lists = needs.filter((need) => need !== undefined);
  if (lists.length < needs.length) throw refuse(place, `groups must be a list of lists of ${noun}s`);
  return { query, expected, groups: lists };
}

/** Returns a text or a list of texts as a list; `undefined` for anything else. */
export function readNames(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return undefined;
  const names = value.filter((name) => typeof name === 'string');
  return names.length === value.length ? names : undefined;
}
