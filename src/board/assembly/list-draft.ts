import { relative, resolve } from 'node:path';
import type { GateOutcome } from '../../features/lock/lock-gate.ts';
import type { SearchWords } from '../../discovery/index-source.ts';
import { findLockFile } from '../../guard/lock/lock-file.ts';
import type { BoardPlaces } from '../../guard/policy/board-places.ts';
import type { ToolEntry } from '../../kinds/kind.ts';
import { homeFolder } from '../../load/data-folder.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { ToolList } from '../../load/features/tool-list.ts';
import { queriesFileOf } from '../../load/queries/queries-file.ts';
import type { Tool } from '../../tool/tool.ts';
import { hashDefinition } from '../ask/tool-definition.ts';
import { readAbout, readBoardQueries } from './board-queries.ts';
import { findPlaces } from './board-places.ts';
import type { ListParts } from './list-parts.ts';
import { wantedTool } from './wanted-tool.ts';

/** A list of tools that is being composed. */
export interface ListDraft {
  readonly list: ToolList;
  readonly diagnostics: readonly Diagnostic[];
  /** Returns the entry that a tool is made of; `undefined` for a tool of code or of a server. */
  readonly entryOf: (name: string) => ToolEntry | undefined;
  /** Names the source of an entry's tools for the lock. */
  originOf(entry: ToolEntry): string;
  /** Remembers the source of a tool. */
  place(tool: Tool, origin: ReturnType<ToolList['originOf']>): void;
  /** Forgets the source of a tool, since one of code takes its place. */
  forget(name: string): void;
  /** Chooses the texts by which searches find these tools. */
  searchWords(tools: readonly Tool[], gate: GateOutcome): SearchWords;
}

/** Starts a list of tools. */
export function createListDraft(parts: ListParts): ListDraft {
  const { config, options, entries, tools, host, skills, features } = parts;
  const { cwd, secretLists } = options;
  const home = homeFolder(config.files, cwd);
  const lockFile = findLockFile(home, config.given, cwd);
  const queries = readBoardQueries(lockFile, cwd);
  const diagnostics: Diagnostic[] = [];
  const origins = new Map<string, ReturnType<ToolList['originOf']>>(
    [...tools].map(([name, { entry }]) => [name, { entry, server: undefined }]),
  );
  const entryOf = (name: string): ToolEntry | undefined => origins.get(name)?.entry;
  const servers = features.flatMap(({ open }) => open.servers ?? []);
  // A board that is opened to look leaves things out, which may have a tool of any name.
  const isOpen = config.lacksPlugins || parts.lacksScripts;
  let places: BoardPlaces | undefined;
  const list: ToolList = {
    originOf: ({ metadata }) => origins.get(metadata.name) ?? { entry: undefined, server: undefined },
    mayCome: (pick) => {
      if (isOpen || pick === undefined) return isOpen;
      const wanted = typeof pick === 'string' ? wantedTool(pick, entries) : undefined;
      return features.some(({ open }) => open.mayBring?.(wanted) === true);
    },
    home,
    given: config.given,
    get pins() {
      const found = features.map(({ open }) => open.pins?.(list) ?? {});
      return {
        plugins: () => config.pluginPins(),
        instructions: new Map(found.flatMap(({ instructions = [] }) => [...instructions])),
        offers: new Map(found.flatMap(({ offers = [] }) => [...offers])),
        queries: queries.pins,
      };
    },
    report: (...found) => void diagnostics.push(...found),
    definitionOf: (tool) =>
      hashDefinition(tool, { entryOf, servers: () => servers, redact: (value) => secretLists.redactor.data(value) }),
    kindHost: host,
    // Found for the first call that needs them.
    get places() {
      const ownFiles = [
        ...features.flatMap(({ open }) => open.ownFiles?.(list) ?? []),
        queriesFileOf(lockFile),
        ...skills.map(({ skill }) => skill.folder),
      ];
      return (places ??= findPlaces({ config, host, ownFiles, outputFolder: options.outputFolder, cwd }));
    },
  };
  return {
    list,
    diagnostics,
    entryOf,
    originOf: ({ kind, file }) => `${kind.type} ${relative(home, resolve(cwd, file)).replaceAll('\\', '/')}`,
    place: (tool, origin) => void origins.set(tool.metadata.name, origin),
    forget: (name) => void origins.delete(name),
    searchWords(passed, gate) {
      const chosen = queries.choose(passed, (tool) => gate.isQueryPinned(tool));
      diagnostics.push(...chosen.diagnostics);
      return { queries: chosen.queries, about: readAbout(servers) };
    },
  };
}
