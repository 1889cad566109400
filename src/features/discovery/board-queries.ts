import { relative } from 'node:path';
import type { SearchWords } from '../../discovery/index-source.ts';
import { hashOf } from '../../guard/lock/tool-pin.ts';
import { findLockFile } from '../../guard/lock/lock-file.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { PassedTool } from '../../load/features/open-feature.ts';
import type { ToolList } from '../../load/features/tool-list.ts';
import {
  allQueries,
  findQueryFault,
  hashForQueries,
  queriesFileOf,
  readQueriesFile,
  type WrittenQueries,
} from '../../load/queries/queries-file.ts';
import type { Tool } from '../../tool/tool.ts';
import type { LockApi } from '../lock/open-lock.ts';

/** The file of queries next to a lock, before the lock has judged it. */
interface BoardQueries {
  readonly file: string;
  /** A hash for each tool that has queries. */
  readonly pins: ReadonlyMap<string, string>;
  /** Returns the queries by which these tools are found, with diagnostics about skipped ones. */
  choose(tools: readonly Tool[], isPinned: (tool: string) => boolean): ChosenQueries;
}

interface ChosenQueries extends Pick<SearchWords, 'queries'> {
  readonly diagnostics: readonly Diagnostic[];
}

const MOST_NAMED = 5;

/** Reads the queries that `pegboard enrich` wrote for a board. Most boards have none. */
function readBoardQueries(lockFile: string, cwd: string): BoardQueries {
  const path = queriesFileOf(lockFile);
  const reading = readQueriesFile(path);
  const written = reading.type === 'read' ? reading.tools : new Map<string, WrittenQueries>();
  const warn = (message: string): Diagnostic => ({
    severity: 'warning',
    file: relative(cwd, path),
    path: [],
    message,
  });
  return {
    file: path,
    pins: new Map([...written].map(([name, { queries }]) => [name, hashOf(queries)])),
    choose(tools, isPinned) {
      if (reading.type === 'broken') return { queries: new Map(), diagnostics: [warn(reading.message)] };
      const diagnostics: Diagnostic[] = [];
      const queries = new Map<string, readonly string[]>();
      const stale: string[] = [];
      for (const tool of written.size === 0 ? [] : tools) {
        const { name } = tool.metadata;
        const own = written.get(name);
        if (own === undefined || !isPinned(name)) continue;
        if (hashOfTool(tool) !== own.for) {
          stale.push(name);
          continue;
        }
        const all = allQueries(own).map((query) => ({ query, fault: findQueryFault(query) }));
        queries.set(
          name,
          all.flatMap(({ query, fault }) => (fault === undefined ? [query] : [])),
        );
        const fault = all.find((one) => one.fault !== undefined);
        if (fault !== undefined)
          diagnostics.push(warn(`tools.${name} has a query that is not used (${fault.fault}). Delete it.`));
      }
      if (stale.length > 0) {
        const more = stale.length > MOST_NAMED ? ` and ${stale.length - MOST_NAMED} more` : '';
        const named = `${stale.slice(0, MOST_NAMED).join(', ')}${more}`;
        diagnostics.push(
          warn(
            `The queries of ${named} are not used: ${stale.length === 1 ? 'the tool' : 'the tools'} changed since. Write new ones with pegboard enrich.`,
          ),
        );
      }
      return { queries, diagnostics };
    },
  };
}

/** A schema that cannot be converted has no matching hash. */
function hashOfTool(tool: Tool): string | undefined {
  try {
    return hashForQueries(tool);
  } catch {
    return undefined;
  }
}

/** The queries of a board, for each list of its tools. */
export interface ListQueries {
  of(list: ToolList): BoardQueries;
  /** Selects the queries by which the tools of a list are found. Adds no tools. */
  choose(tools: readonly PassedTool[], list: ToolList): readonly Tool[];
  /** Returns the selected queries, by tool. */
  chosen(list: ToolList): ChosenQueries['queries'];
}

/** Opens the queries of a board: each list reads the current file, and the lock decides which queries are used. */
export function openQueries(cwd: string, lock: Pick<LockApi, 'of'>): ListQueries {
  const read = new WeakMap<ToolList, BoardQueries>();
  const chosen = new WeakMap<ToolList, ChosenQueries['queries']>();
  const of = (list: ToolList): BoardQueries => {
    const found = read.get(list) ?? readBoardQueries(findLockFile(list.home, list.given, cwd), cwd);
    read.set(list, found);
    return found;
  };
  return {
    of,
    choose(tools, list) {
      const gate = lock.of(list);
      const passed = tools.map(({ tool }) => tool);
      const { queries, diagnostics } = of(list).choose(passed, (tool) => gate.isQueryPinned(tool));
      chosen.set(list, queries);
      list.report(...diagnostics);
      return [];
    },
    chosen: (list) => chosen.get(list) ?? new Map(),
  };
}
