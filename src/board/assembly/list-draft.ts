import { relative, resolve, dirname, join } from 'node:path';
import { toPin } from '../../guard/lock/tool-pin.ts';
import type { BoardPlaces } from '../../guard/policy/board-places.ts';
import type { KindHost, ToolEntry } from '../../kinds/kind.ts';
import { boardsFolder } from '../../mcp/front/boards-folder.ts';
import { homeFolder, stateFolder } from '../../load/data-folder.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { ToolList, WantedTool } from '../../load/features/tool-list.ts';
import type { LoadedConfig } from '../../load/load-config.ts';
import type { Tool } from '../../tool/tool.ts';
import type { BoardSetup } from '../board-setup.ts';
import type { OpenedFeature } from '../features/board-features.ts';
import type { EntryTools, PlacedEntries } from './make-tools.ts';

/** The parts of a reading from which its list of tools is composed. */
export interface ListParts {
  readonly config: LoadedConfig;
  readonly setup: BoardSetup;
  readonly entries: PlacedEntries;
  readonly made: EntryTools;
  readonly host: KindHost;
  readonly features: readonly OpenedFeature[];
}

/** A list of tools that is being composed. */
export interface ListDraft {
  readonly list: ToolList;
  readonly diagnostics: readonly Diagnostic[];
  /** Returns the entry of a tool; `undefined` for a tool in code or of a server. */
  readonly entryOf: (name: string) => ToolEntry | undefined;
  /** Returns the source of an entry's tools for the lock. */
  originOf(entry: ToolEntry): string;
  /** Stores the source of a tool. */
  place(tool: Tool, origin: ReturnType<ToolList['originOf']>): void;
  /** Removes the source of a tool because one in code replaces it. */
  forget(name: string): void;
}

/** Starts a list of tools. */
export function createListDraft({ config, setup, entries, made, host, features }: ListParts): ListDraft {
  const { cwd, resources } = setup;
  const home = homeFolder(config.files, cwd);
  const redact = (value: unknown): unknown => resources.secretLists.redactor.data(value);
  const diagnostics: Diagnostic[] = [];
  const origins = new Map<string, ReturnType<ToolList['originOf']>>(
    [...made.tools].map(([name, { entry }]) => [name, { entry, server: undefined }]),
  );
  const entryOf = (name: string): ToolEntry | undefined => origins.get(name)?.entry;
  // A board that is opened to look skips parts, which may have a tool of any name.
  const isOpen = config.lacksPlugins || made.lacksScripts;
  let places: BoardPlaces | undefined;
  let about: ReadonlyMap<string, string> | undefined;
  const list: ToolList = {
    originOf: ({ metadata }) => origins.get(metadata.name) ?? { entry: undefined, server: undefined },
    mayCome: (pick) => {
      if (isOpen || pick === undefined) return isOpen;
      const wanted = typeof pick === 'string' ? wantedTool(pick, entries) : undefined;
      return features.some(({ open }) => open.mayBring?.(wanted) === true);
    },
    home,
    given: config.given,
    readLock: config.readLock,
    get pins() {
      const found = features.map(({ open }) => open.pins?.(list) ?? {});
      return {
        plugins: () => config.pluginPins(),
        instructions: new Map(found.flatMap(({ instructions = [] }) => [...instructions])),
        offers: new Map(found.flatMap(({ offers = [] }) => [...offers])),
        packages: new Map(found.flatMap(({ packages = [] }) => [...packages])),
        queries: new Map(found.flatMap(({ queries = [] }) => [...queries])),
      };
    },
    report: (...found) => void diagnostics.push(...found),
    // Without secrets: a renewed secret does not change the tool.
    definitionOf: (tool) => {
      const entry = entryOf(tool.metadata.name);
      const servers = features.flatMap(({ open }) => open.definitionOf?.(tool) ?? []);
      return { pin: toPin(tool, '', redact).hash, kind: entry?.kind.type, written: redact(entry?.readFrom), servers };
    },
    entries: [...entries.values()].map(({ entry }) => entry),
    kindHost: host,
    get about() {
      return (about ??= new Map(features.flatMap(({ open }) => [...(open.about?.() ?? [])])));
    },
    // Computed for the first call that needs them.
    get places() {
      return (places ??= findPlaces({
        config,
        host,
        ownFiles: features.flatMap(({ open }) => open.ownFiles?.(list) ?? []),
        outputFolder: resources.outputFolder,
        cwd,
      }));
    },
  };
  return {
    list,
    diagnostics,
    entryOf,
    originOf: ({ kind, file }) => `${kind.type} ${relative(home, resolve(cwd, file)).replaceAll('\\', '/')}`,
    place: (tool, origin) => void origins.set(tool.metadata.name, origin),
    forget: (name) => void origins.delete(name),
  };
}

/** Describes a tool that is not on the board: an entry with its name determines the servers that it needs. */
export function wantedTool(name: string, entries: PlacedEntries): WantedTool {
  for (const { entry } of entries.values()) {
    const { kind, metadata } = entry;
    if (!kind.isLive || (metadata.name !== name && metadata.aliases?.includes(name) !== true)) continue;
    return { name, servers: new Set(kind.uses(entry).map((use) => use.name)) };
  }
  return { name };
}

/** The parts of a board that determine which places tools must not access. */
interface PlaceParts {
  readonly config: LoadedConfig;
  readonly host: KindHost;
  /** Files and folders of features. */
  readonly ownFiles: readonly string[];
  readonly outputFolder: string;
  readonly cwd: string;
}

const GLOB = /[*?{[]/;

/** Finds the data folders of a board, and the files that define it. */
function findPlaces({ config, host, ownFiles, outputFolder, cwd }: PlaceParts): BoardPlaces {
  const files = config.files.filter(({ isInline }) => !isInline);
  const asked = [
    ...config.given.map((pattern) => ({ pattern, folder: cwd })),
    ...files.flatMap(({ file, imports }) =>
      imports.map(({ pattern }) => ({ pattern, folder: dirname(resolve(cwd, file)) })),
    ),
  ];
  const own = [
    ...files.map(({ file }) => resolve(cwd, file)),
    ...ownFiles,
    ...config.files.flatMap(({ plugins }) =>
      plugins.flatMap(({ name, folder }) => (/^[./~]/.test(name) ? [resolve(folder, name)] : [])),
    ),
    ...config.files.flatMap(({ entries }) => entries.flatMap((entry) => entry.kind.ownFiles?.(entry, host) ?? [])),
  ];
  return {
    closed: [...new Set([host.data, stateFolder(host.env), outputFolder, boardsFolder(host.env)])],
    own: [...new Set(own)],
    imported: asked.flatMap(({ pattern, folder }) => importFolder(pattern, folder) ?? []),
  };
}

/** Returns the folder whose config files a pattern selects, even future ones; `undefined` for a file. */
function importFolder(pattern: string, folder: string): string | undefined {
  if (!GLOB.test(pattern)) return /\.\w+$/.test(pattern) ? undefined : resolve(folder, pattern);
  const steps = pattern.split('/');
  const fixed = steps.slice(
    0,
    steps.findIndex((step) => GLOB.test(step)),
  );
  return resolve(folder, join(...fixed, '.'));
}
