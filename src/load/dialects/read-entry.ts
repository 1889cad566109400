import { resolve } from 'node:path';
import { isPlainObject } from '../../tool/json.ts';
import type { ToolMetadata } from '../../tool/tool-metadata.ts';
import type { EntryPath, Kind, ToolEntry } from '../../kinds/kind.ts';
import { toThrownFault } from '../../kinds/kind-faults.ts';
import { SHARED_KEYS } from '../../kinds/shared-keys.generated.ts';
import type { FileContext } from '../file-context.ts';

type Data = Readonly<Record<string, unknown>>;

/** An entry checked against the schema of its kind, with its place. */
export interface WrittenEntry {
  readonly kind: Kind;
  readonly written: Data;
  readonly path: EntryPath;
  readonly metadata: ToolMetadata;
}

/** The parts of a file that its tools are read with. */
export interface ToolReader {
  readonly context: FileContext;
  readonly source: string;
  /** The folder that relative paths of the file start from. */
  readonly folder: string;
  /** Returns the kind of the tool at an index, if any. */
  readonly kindAt: (index: number) => Kind | undefined;
}

interface EntryReader extends Pick<ToolReader, 'context' | 'folder'> {
  /** The variables that the file passes to every command. */
  readonly env: Readonly<Record<string, string>>;
  readonly file?: Data;
}

const NOT_OWN: ReadonlySet<string> = new Set(['type', ...Object.keys(SHARED_KEYS.schema)]);

/** Reads an entry with its kind. Returns no entry for a fault that JSON Schema cannot express. */
export function readEntry(
  { kind, written, path, metadata }: WrittenEntry,
  { context, env, folder, file = {} }: EntryReader,
): ToolEntry[] {
  let own: unknown = Object.fromEntries(Object.entries(written).filter(([key]) => !NOT_OWN.has(key)));
  for (const pattern of kind.paths) own = resolveAt(own, pattern.split('.'), folder);
  const addError = (below: EntryPath, message: string): void => context.add('error', [...path, ...below], message);
  const addSecrets: FileContext['addSecrets'] = (name, value) => context.addSecrets(name, value, path);
  const common = kind.section === undefined ? undefined : file[kind.section];
  const section = isPlainObject(common) ? common : undefined;
  try {
    // Resolving paths keeps the shape.
    const settings = kind.read(own as Data, { written, folder, env, section, addSecrets, addError });
    if (settings === undefined) return [];
    const { paths } = written;
    const entry: ToolEntry = {
      kind,
      metadata: { ...metadata, risk: metadata.risk ?? kind.guessRisk?.(settings) ?? 'write' },
      settings,
      file: context.yaml.file,
      path,
      paths: Array.isArray(paths) ? paths : undefined,
      readFrom: { written, env, section },
    };
    // Called here because later calls cannot report a fault.
    kind.names(metadata.name, settings);
    kind.uses(entry);
    return [entry];
  } catch (error) {
    addError([], toThrownFault(error).message);
    return [];
  }
}

/** Makes the texts at a place absolute; `*` stands for each element of a list. */
function resolveAt(value: unknown, [key, ...rest]: readonly string[], folder: string): unknown {
  if (key === undefined) return typeof value === 'string' ? resolve(folder, value) : value;
  if (key === '*') return Array.isArray(value) ? value.map((item: unknown) => resolveAt(item, rest, folder)) : value;
  if (!isPlainObject(value) || !Object.hasOwn(value, key)) return value;
  return { ...value, [key]: resolveAt(value[key], rest, folder) };
}
