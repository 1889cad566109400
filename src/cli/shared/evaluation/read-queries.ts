import { isPlainObject } from '../../../tool/json.ts';
import type { EvalQuery } from '../../../discovery/eval/evaluate.ts';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readYaml } from '../../../load/yaml/read-yaml.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

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

/** A value with its place in a file. */
export interface FileItem {
  readonly value: unknown;
  /** `queries.jsonl:3` */
  readonly place: string;
}

/** Reads a list of values: a line each in `.jsonl` and `.ndjson`, a list (or one under `key`) in YAML and JSON. */
export function readItems(file: string, { cwd, key }: { readonly cwd: string; readonly key: string }): FileItem[] {
  const bytes = readBytes(resolve(cwd, file), file);
  if (/\.(?:jsonl|ndjson)$/i.test(file)) return readLines(bytes.toString('utf8'), file);
  const yaml = readYaml(bytes, file);
  const { value } = yaml;
  const isObject = typeof value === 'object' && value !== null;
  const list: unknown = isObject && key in value ? Reflect.get(value, key) : value;
  if (!Array.isArray(list)) throw refuse(file, `must be a list, or have a list under "${key}"`);
  const path = list === value ? [] : [key];
  return list.map((item: unknown, index) => {
    const place = yaml.locate([...path, index]);
    return { value: item, place: place === undefined ? `${file}[${index}]` : `${file}:${place.line}` };
  });
}

/** Creates an error about a place in a file. */
export function refuse(place: string, fault: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message: `${place}: ${fault}.` });
}

function readLines(text: string, file: string): FileItem[] {
  return text.split('\n').flatMap((line, index): FileItem[] => {
    if (line.trim() === '') return [];
    const place = `${file}:${index + 1}`;
    try {
      return [{ value: JSON.parse(line), place }];
    } catch (error) {
      throw refuse(place, `is not JSON (${messageOf(error)})`);
    }
  });
}

function readBytes(path: string, file: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const reason =
      cause instanceof Error && 'code' in cause && cause.code === 'ENOENT' ? 'does not exist' : String(cause);
    throw new ToolError({ code: 'not_found', message: `${file} ${reason}. Check the path.`, cause });
  }
}
