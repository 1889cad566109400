import { isPlainObject } from '../tool/json.ts';
import type { ToolMetadata } from '../tool/tool-metadata.ts';
import { type BrokenEntry, toBroken } from '../kinds/broken/broken.ts';
import type { Kind, ToolEntry } from '../kinds/kind.ts';
import { makePrefixes } from '../kinds/mcp/name-tools.ts';
import type { LoadedFile } from './loaded-file.ts';
import type { OffPart } from './loaded-file.ts';

type Data = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

const RISKS: ReadonlySet<unknown> = new Set(['read', 'write', 'destructive']);

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
