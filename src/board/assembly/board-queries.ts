import { relative } from 'node:path';
import type { SearchWords } from '../../discovery/index-source.ts';
import { hashOf } from '../../guard/lock/tool-pin.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import {
  allQueries,
  findQueryFault,
  hashForQueries,
  queriesFileOf,
  readQueriesFile,
  type WrittenQueries,
} from '../../load/queries/queries-file.ts';
import { promptKey } from '../../mcp/client/offers/offered-items.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import type { Tool } from '../../tool/tool.ts';

/** The file of queries beside a lock, before the lock has judged it. */
export interface BoardQueries {
  /** A hash for each tool that has queries. */
  readonly pins: ReadonlyMap<string, string>;
  /** The queries by which these tools are found, and what to tell about those that are left out. */
  choose(tools: readonly Tool[], isPinned: (tool: string) => boolean): ChosenQueries;
}

interface ChosenQueries extends Pick<SearchWords, 'queries'> {
  readonly diagnostics: readonly Diagnostic[];
}

const MOST_NAMED = 5;

/** Reads the queries that `pegboard enrich` wrote for a board. Most boards have none. */
export function readBoardQueries(lockFile: string, cwd: string): BoardQueries {
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

/** Characters of what a server says of itself that searches read. */
const LONGEST_ABOUT = 1_000;

/** Returns the instructions of servers, as far as the lock lets them pass. */
export function readAbout(servers: readonly SharedServer[]): Map<string, string> {
  const said = servers.map(({ settings, manifest, instructions, denied }) => {
    const prompts = (manifest?.prompts ?? []).filter(({ name }) => !denied.has(promptKey(name)));
    const words = prompts.flatMap(({ name, title, description }) => [title ?? name, description]);
    const texts = [manifest?.title, instructions, ...words].filter((text) => text !== undefined);
    return [settings.name, texts.map((text) => text.slice(0, LONGEST_ABOUT)).join('\n')] as const;
  });
  return new Map(said.filter(([, text]) => text !== ''));
}

/** A schema that cannot be shown has no hash that fits. */
function hashOfTool(tool: Tool): string | undefined {
  try {
    return hashForQueries(tool);
  } catch {
    return undefined;
  }
}
