import { dirname, resolve } from 'node:path';
import type { JsonSchema } from '../../tool/json.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { SchemaOutput, ToolSchema } from '../../tool/schema-types.ts';
import { isStandardSchema, readSchema } from '../../tool/schema/read-schema.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { LoadedFile } from '../loaded-file.ts';

type Path = readonly (string | number)[];

/**
 * Joins the values of several files.
 *
 * - `last`: the value of the last file with the section.
 * - `keys`: joins mappings; the last file wins for each key.
 * - `deep`: joins mappings at every level.
 * - `each`: one value for each file.
 */
export type Merge = 'last' | 'keys' | 'deep' | 'each';

/** A top-level key of a board file. */
export interface Section<T = unknown, M extends Merge = Merge> {
  /** The JSON Schema of its value. */
  readonly schema: JsonSchema;
  readonly merge: M;
  /** @internal Carries the type of the value; never set. */
  readonly type?: T;
}

/** Sections of a board file by their names. */
export type Sections = Readonly<Record<string, Section>>;

/** Creates a diagnostic about the value at a path relative to this one. Default severity: error. */
export interface Placed<T> {
  readonly value: T;
  /** Creates a diagnostic about the value at a path below this one. Default severity: error. */
  at(path: Path, message: string, severity?: Diagnostic['severity']): Diagnostic;
  /** Returns the other files that have a value at a path; theirs is not used. */
  folder(path?: Path): string;
  /** Returns the name of the file with the value at a path, which is the source of the tools defined there. */
  others(path: Path): readonly string[];
  /** Returns the name of the file with the value at a path, which is the source of what is made from it. */
  source(path?: Path): string;
}

/** The values of a feature's sections; `undefined` for one that no file has. */
export type SettingsOf<S extends Sections> = {
  readonly [K in keyof S]: S[K] extends Section<infer T, infer M>
    ? M extends 'each'
      ? readonly Placed<T>[]
      : Placed<T> | undefined
    : never;
};

/**
 * Declares a section of board files.
 *
 * @example
 * ```ts
 * const quota = section({
 *   merge: 'keys',
 *   schema: z.strictObject({ calls_per_day: z.int().min(1) }),
 * });
 * ```
 */
export function section<const S extends ToolSchema>(definition: {
  readonly schema: S;
}): Section<SchemaOutput<S>, 'keys'>;
export function section<const S extends ToolSchema, const M extends Merge>(definition: {
  readonly schema: S;
  readonly merge: M;
}): Section<SchemaOutput<S>, M>;
export function section(definition: { readonly schema: ToolSchema; readonly merge?: Merge }): Section {
  const { schema, merge } = definition;
  return {
    // Converts a Standard Schema only when a file has the section.
    get schema(): JsonSchema {
      return isStandardSchema(schema) ? readSchema(schema).jsonSchema() : schema;
    },
    merge: merge ?? 'keys',
  };
}

interface FileValue {
  readonly file: LoadedFile;
  readonly value: unknown;
}

/** Joins the values of a feature's sections from all files. */
export function mergeSections<S extends Sections>(
  sections: S,
  files: readonly LoadedFile[],
  cwd: string = process.cwd(),
): SettingsOf<S> {
  const merged = Object.entries(sections).map(([key, { merge }]) => {
    const values = files.flatMap((file): FileValue[] => {
      const value = file.sections[key];
      return value === undefined ? [] : [{ file, value }];
    });
    return [key, mergeValues(key, merge, { values, cwd })];
  });
  // Each value was checked against the schema of its section.
  return Object.fromEntries(merged) as SettingsOf<S>;
}

/** The files with a value at a path: first the one whose value is used, then the earlier ones. */
type Owners = readonly [LoadedFile, ...LoadedFile[]];

function mergeValues(
  key: string,
  merge: Merge,
  { values, cwd }: { readonly values: readonly FileValue[]; readonly cwd: string },
): unknown {
  const last = values.at(-1);
  if (merge === 'each') return values.map((one) => place(key, one.value, { cwd, findOwner: () => [one.file] }));
  if (last === undefined) return undefined;
  const findOwner = (path: Path): Owners => {
    const isWhole = merge === 'last';
    const [owner = last.file, ...others] = values
      .filter(({ value }) => isWhole || valueAt(value, path) !== undefined)
      .map(({ file }) => file)
      .toReversed();
    return [owner, ...others];
  };
  if (merge === 'last') return place(key, last.value, { cwd, findOwner });
  return place(
    key,
    values.map(({ value }) => value).reduce((first, second) => joinKeys(first, second, merge === 'deep')),
    { cwd, findOwner },
  );
}

function place(
  key: string,
  value: unknown,
  { cwd, findOwner }: { readonly cwd: string; readonly findOwner: (path: Path) => Owners },
): Placed<unknown> {
  return {
    value,
    at(path, message, severity = 'error') {
      const [owner] = findOwner(path);
      // A CLImax policy file consists of that section as a whole.
      const full = owner.dialect === 'climax-policy' ? path : [key, ...path];
      return { severity, file: owner.file, path: full, message, place: owner.locate(full) };
    },
    folder(path = []) {
      const [{ isInline, file }] = findOwner(path);
      return isInline ? cwd : dirname(resolve(cwd, file));
    },
    others(path) {
      const [, ...others] = findOwner(path);
      return others.map(({ file }) => file);
    },
    source: (path = []) => findOwner(path)[0].name,
  };
}

/**
 * Joins the values of an `each` section into one: for each key, the last file wins. `parts` names keys whose mappings (`keys`) or lists are
 * joined across all files.
 */
export function joinValues<T extends object>(
  values: readonly T[],
  parts: { readonly [K in keyof T]?: 'keys' | 'list' } = {},
): Partial<T> {
  const joined: Partial<T> = Object.assign({}, ...values);
  const given = (key: string): unknown[] =>
    values.map((value): unknown => Reflect.get(value, key)).filter((part) => part !== undefined);
  const whole = Object.entries(parts).map(([key, way]) => {
    const all = given(key);
    if (all.length === 0) return [key, undefined];
    return [key, way === 'list' ? [...new Set(all.flat())] : all.reduce((one, next) => joinKeys(one, next, false))];
  });
  return Object.assign(joined, Object.fromEntries(whole.filter(([, part]) => part !== undefined)));
}

/** Joins two mappings key by key; for other values, the second one wins. */
function joinKeys(first: unknown, second: unknown, isDeep: boolean): unknown {
  if (!isPlainObject(first) || !isPlainObject(second)) return second;
  const inner = Object.entries(second).map(([key, value]) => [
    key,
    isDeep && Object.hasOwn(first, key) ? joinKeys(first[key], value, isDeep) : value,
  ]);
  return { ...first, ...Object.fromEntries(inner) };
}

function valueAt(value: unknown, path: Path): unknown {
  let found: unknown = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}
