import { RISK_LEVELS } from '../tool/parameters/argument-risk.ts';
import { isPlainObject } from '../tool/json.ts';
import type { ToolMetadata } from '../tool/tool-metadata.ts';
import { type BrokenEntry, toBroken } from '../kinds/broken.ts';
import type { EntryPath, Kind, ToolEntry } from '../kinds/kind.ts';
import { makePrefixes } from '../kinds/mcp/name-tools.ts';
import type { LoadedFile, OffPart } from './loaded-file.ts';
import type { Diagnostic } from './diagnostics/diagnostic.ts';

type Data = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

const RISKS: ReadonlySet<unknown> = new Set(RISK_LEVELS);

/**
 * Finds the smallest part of a board file that contains a place and can be disabled by itself; `undefined` for parts that concern the whole
 * board, such as its policy.
 */
export function partAt(path: Path, data: Data): Omit<OffPart, 'variables'> | undefined {
  const [section, key, name] = path;
  if (section === 'tools' && typeof key === 'number') {
    const tool: unknown = Array.isArray(data['tools']) ? data['tools'][key] : undefined;
    const given = isPlainObject(tool) ? tool['name'] : undefined;
    return { type: 'tool', name: typeof given === 'string' ? given : `tools[${key}]`, path: [section, key] };
  }
  if ((section === 'mcpServers' || section === 'servers') && typeof key === 'string') {
    const servers = data[section];
    const server = isPlainObject(servers) ? servers[key] : undefined;
    const written = isPlainObject(server) ? server['prefix'] : undefined;
    const prefix = typeof written === 'string' ? written : makePrefixes([key]).get(key);
    return { type: 'server', name: key, path: [section, key], prefix };
  }
  if (section === 'agents' && typeof key === 'string') return { type: 'agent', name: key, path: [section, key] };
  if (section !== 'rag' || typeof key !== 'string') return undefined;
  if (key === 'collections' && typeof name === 'string')
    return { type: 'collection', name, path: [section, key, name] };
  if (key === 'servers' && typeof name === 'string') return { type: 'store', name, path: [section, key, name] };
  return { type: 'knowledge', name: key, path: [section, key] };
}

/** Lists the tools that need a value of a shared section because they do not set it themselves. */
export function toolsThatUse([section, key, name]: Path, data: Data): Omit<OffPart, 'variables'>[] {
  if (section !== 'http' || key === undefined) return [];
  const tools: unknown[] = Array.isArray(data['tools']) ? data['tools'] : [];
  return tools.flatMap((tool, index) => {
    if (!isPlainObject(tool) || tool['type'] !== section) return [];
    const own = tool[key];
    const isHeader = key === 'headers' && typeof name === 'string';
    const names = isHeader && isPlainObject(own) ? Object.keys(own).map((header) => header.toLowerCase()) : [];
    const hasOwn = isHeader ? names.includes(name.toLowerCase()) : own !== undefined;
    return hasOwn ? [] : (partAt(['tools', index], data) ?? []);
  });
}

/** Removes the disabled parts from a board file. Tools keep their indexes; their entries are not read. */
export function withoutOff(data: Data, off: readonly OffPart[]): Data {
  let sound: Record<string, unknown> = { ...data };
  const change = (section: string, edit: (part: Record<string, unknown>) => void): void => {
    const part = sound[section];
    if (!isPlainObject(part)) return;
    const copy = { ...part };
    edit(copy);
    sound = { ...sound, [section]: copy };
  };
  for (const { type, name, path } of off) {
    const [section = ''] = path;
    if (type === 'server') change(String(section), (servers) => (servers[name] = { disabled: true }));
    else if (type === 'agent') change('agents', (agents) => Reflect.deleteProperty(agents, name));
    else if (type === 'collection' || type === 'store') {
      const key = type === 'store' ? 'servers' : 'collections';
      change('rag', (rag) => {
        const { [name]: _, ...others } = isPlainObject(rag[key]) ? rag[key] : {};
        rag[key] = others;
      });
    } else if (type === 'knowledge') Reflect.deleteProperty(sound, 'rag');
  }
  return sound;
}

/** Creates placeholders for tools that are disabled by themselves. A tool without a name has none. */
export function brokenEntries(
  data: Data,
  off: readonly OffPart[],
  {
    file,
    source,
    kindAt,
  }: { readonly file: string; readonly source: string; readonly kindAt: (index: number) => Kind | undefined },
): BrokenEntry[] {
  return off.flatMap(({ type, path, variables }): BrokenEntry[] => {
    const tool: unknown = type === 'tool' && Array.isArray(data['tools']) ? data['tools'][Number(path[1])] : undefined;
    if (!isPlainObject(tool) || typeof tool['name'] !== 'string' || !/^[A-Za-z0-9_.-]{1,128}$/.test(tool['name']))
      return [];
    const { name, description, risk } = tool;
    const metadata: ToolMetadata = {
      name,
      description: typeof description === 'string' && !description.includes('${') ? description : 'Off.',
      source,
      // The schema has not checked it yet.
      risk: RISKS.has(risk) ? (risk as NonNullable<ToolMetadata['risk']>) : 'write',
    };
    return [toBroken({ metadata, file, path }, kindAt(Number(path[1])), explainOff(`the tool "${name}"`, variables))];
  });
}

/** Disables the tools that need a disabled server or collection. */
export function turnOffDependents(files: readonly LoadedFile[]): readonly LoadedFile[] {
  const all = files.flatMap(({ off }) => off);
  if (all.length === 0) return files;
  const find = (type: OffPart['type'], name?: string): OffPart | undefined =>
    all.find((part) => part.type === type && (name === undefined || part.name === name));
  const storeOf = (collection: string): string => {
    const settings = files.map(({ sections: { rag } }) =>
      isPlainObject(rag) && isPlainObject(rag['collections']) ? rag['collections'][collection] : undefined,
    );
    const named = settings
      .map((one) => (isPlainObject(one) ? one['server'] : undefined))
      .findLast((one) => one !== undefined);
    return typeof named === 'string' ? named : 'default';
  };
  const reasonFor = (entry: ToolEntry): string | undefined => {
    for (const { type, name } of entry.kind.uses(entry)) {
      const part = find(type, name);
      if (part !== undefined) return explainOff(`the ${type} "${name}"`, part.variables);
      if (type !== 'collection') continue;
      const store = find('store', storeOf(name)) ?? find('knowledge');
      const place = store && `rag.${store.type === 'store' ? 'servers.' : ''}${store.name}`;
      if (store !== undefined) return explainOff(`the knowledge in ${place}`, store.variables);
    }
    return undefined;
  };
  return files.map((file) => ({
    ...file,
    sections: {
      ...file.sections,
      rag:
        find('knowledge') === undefined
          ? withoutStores(file.sections['rag'], (store) => find('store', store) !== undefined)
          : undefined,
    },
    entries: file.entries.map((entry) => {
      const reason = reasonFor(entry);
      return reason === undefined ? entry : toBroken(entry, entry.kind, reason);
    }),
  }));
}

/** Removes the collections of disabled stores from a `rag` section. */
function withoutStores(rag: unknown, isOff: (store: string) => boolean): unknown {
  const collections = isPlainObject(rag) ? rag['collections'] : undefined;
  if (!isPlainObject(rag) || !isPlainObject(collections)) return rag;
  const kept = Object.entries(collections).filter(([, settings]) => {
    const server = isPlainObject(settings) ? settings['server'] : undefined;
    return !isOff(typeof server === 'string' ? server : 'default');
  });
  return { ...rag, collections: Object.fromEntries(kept) };
}

/** Builds the message `the tool "x" is off: the variable Y is not set. …`. */
export function explainOff(what: string, variables: readonly string[]): string {
  const files = variables.filter((name) => name.startsWith('file:')).map((name) => `"${name.slice(5)}"`);
  const names = variables.filter((name) => !name.startsWith('file:'));
  const faults = [
    ...(names.length === 0
      ? []
      : [
          `the ${names.length === 1 ? 'variable' : 'variables'} ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not set`,
        ]),
    ...(files.length === 0 ? [] : [`${files.join(', ')} cannot be read`]),
  ];
  return `${what} is off: ${faults.join(', and ')}. Set what is missing and reload the board.`;
}

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
  if (!isPlainObject(tool) || kind === undefined || (tool['risk'] !== undefined && !RISKS.has(tool['risk'])))
    return undefined;
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
