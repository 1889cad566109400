import { isPlainObject } from '../tool/json.ts';
import { type BrokenEntry, toBroken } from '../kinds/broken/broken.ts';
import type { EntryPath, Kind } from '../kinds/kind.ts';
import type { ToolMetadata } from '../tool/tool-metadata.ts';
import type { Diagnostic } from './diagnostics/diagnostic.ts';

type Data = Readonly<Record<string, unknown>>;

const RISKS: ReadonlySet<unknown> = new Set([undefined, 'read', 'write', 'destructive']);

/** Finds the indexes of tools with errors, or whose kind uses a section of the file with errors. */
export function faultyTools(
  diagnostics: readonly Diagnostic[],
  { count, kindAt }: { readonly count: number; readonly kindAt: (index: number) => Kind | undefined },
): Set<number> {
  const errors = errorsOf(diagnostics);
  const faulty = new Set(errors.flatMap(([key, at]) => (key === 'tools' && typeof at === 'number' ? [at] : [])));
  const sections = new Set(errors.map(([key]) => key));
  for (let index = 0; errors.length > 0 && index < count; index++) {
    const section = kindAt(index)?.section;
    if (section !== undefined && sections.has(section)) faulty.add(index);
  }
  return faulty;
}

/** Removes the sections with errors from a board file. Tools keep their indexes, and servers with errors are disabled. */
export function soundSections(data: Data, diagnostics: readonly Diagnostic[]): Data {
  const sound: Record<string, unknown> = { ...data };
  for (const [key, at] of errorsOf(diagnostics)) {
    if (typeof key !== 'string' || key === 'import' || (key === 'tools' && at !== undefined)) continue;
    const servers = sound[key];
    if (key === 'mcpServers' && typeof at === 'string' && isPlainObject(servers)) {
      sound[key] = { ...servers, [at]: { disabled: true } };
    } else Reflect.deleteProperty(sound, key);
  }
  return sound;
}

/** Returns true when an entry of this kind has exactly one tool, with the name of the entry. */
export function hasOneName(kind: Kind, name: string): boolean {
  const names = kind.names(name);
  return names?.length === 1 && names[0] === name;
}

/** Creates a placeholder for an entry with errors, so that rules can name it; `undefined` when too little is known. */
export function toFaultyEntry(
  tool: unknown,
  place: { readonly file: string; readonly path: EntryPath; readonly kind: Kind | undefined },
  config: Data,
): BrokenEntry | undefined {
  const { kind } = place;
  if (!isPlainObject(tool) || kind === undefined || !RISKS.has(tool['risk'])) return undefined;
  const { name, risk, category = config['category'] } = tool;
  const tags = [config['tags'] ?? [], tool['tags'] ?? []].flat();
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]{1,128}$/.test(name) || !hasOneName(kind, name)) return undefined;
  if (!tags.every((tag) => typeof tag === 'string')) return undefined;
  const metadata: ToolMetadata = {
    name,
    description: 'Has errors.',
    source: typeof config['name'] === 'string' ? config['name'] : 'unknown',
    risk: risk === 'read' || risk === 'destructive' ? risk : 'write',
    ...(tags.length === 0 ? {} : { tags }),
    ...(typeof category === 'string' ? { category } : {}),
  };
  return toBroken({ ...place, metadata }, kind, `the tool "${name}" has errors`);
}

function errorsOf(diagnostics: readonly Diagnostic[]): (readonly (string | number)[])[] {
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ path }) => path);
}
