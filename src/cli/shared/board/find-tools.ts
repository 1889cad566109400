import { counted } from '../../../tool/texts/counted.ts';
import type { Board } from '../../../board/board.ts';
import type { ToolMetadata } from '../../../tool/tool-metadata.ts';
import type { RankedHit } from '../../../discovery/rank-tools.ts';
import type { RankOptions } from '../../../discovery/search-options.ts';
import { authoredTools } from './list-board.ts';
import { nearestNames } from '../../../tool/texts/suggest.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import type { Tool } from '../../../tool/tool.ts';
import type { ArrivalWish } from '../../../board/registry/absent-tools.ts';
import type { CliContext } from '../cli-context.ts';
import { showWaiting } from './meet-servers.ts';

/** A search hit; plain searches have no scores. */
export interface FoundTool {
  readonly metadata: ToolMetadata;
  readonly score?: number;
  readonly matches?: RankedHit['matches'];
  readonly duplicates?: RankedHit['duplicates'];
}

export interface Finding {
  readonly tools: readonly FoundTool[];
  readonly note: string | undefined;
}

interface FindOptions extends RankOptions {
  readonly limit: number;
  /** Searches for the literal text. */
  readonly plain: boolean;
}

/** Searches the tools that the board's files define. */
export async function findTools(
  board: Board,
  query: string,
  { plain, limit, ...options }: FindOptions,
): Promise<Finding> {
  const authored = new Map(authoredTools(board).map((metadata) => [metadata.name, metadata]));
  // Fetches more hits, because tools added by the board itself are dropped below.
  const page = { ...options, limit: limit + board.registry.size - authored.size };
  const found: { hits: readonly (Pick<RankedHit, 'name'> & Partial<RankedHit>)[]; note?: string } = plain
    ? { hits: board.index.search({ ...page, query }) }
    : await board.index.find(query, page);
  const tools = found.hits.flatMap(({ name, score, matches, duplicates }): FoundTool[] => {
    const metadata = authored.get(name);
    return metadata === undefined
      ? []
      : [
          {
            metadata,
            ...(score === undefined ? {} : { score }),
            ...(matches === undefined ? {} : { matches }),
            ...(duplicates === undefined ? {} : { duplicates }),
          },
        ];
  });
  const nothing = `None of ${counted(authored.size, 'tool')} contains the text ${JSON.stringify(query.slice(0, 100))}.`;
  return { tools: tools.slice(0, limit), note: tools.length === 0 && plain ? nothing : found.note };
}

/** Returns the tool with this name. Waits only for the server that may offer it. */
export async function awaitTool(
  board: Board,
  name: string,
  { context, wish }: { readonly context: CliContext; readonly wish: ArrivalWish },
): Promise<Tool> {
  const { registry } = board;
  const arrival = registry.get(name) === undefined ? registry.absent?.arrival(name, wish) : undefined;
  if (arrival !== undefined) await showWaiting(board, arrival, context);
  return getTool(board, name);
}

/** Returns the tool with this name, or throws an error that suggests similar names. */
function getTool({ registry, files }: Pick<Board, 'registry' | 'files'>, name: string): Tool {
  const tool = registry.get(name);
  if (tool !== undefined) return tool;
  const absence = registry.absent?.explain(name);
  if (absence?.type === 'known') throw absence.error;
  const own = files.find(({ entries }) => entries.some(({ metadata }) => metadata.name === name));
  const why = registry.absent?.denial(name);
  if (own !== undefined || why !== undefined) {
    const from = own === undefined ? '' : ` of ${own.file}`;
    const message = `The tool "${name}"${from} is not on the board: ${why ?? 'the policy or the lock does not allow it. Find out why with: pegboard validate'}`;
    throw new ToolError({ code: 'permission_denied', message, toolName: name });
  }
  const nearest = nearestNames(name, registry.names());
  const hint = nearest.length > 0 ? `Did you mean: ${nearest.join(', ')}?` : 'List them with: pegboard list';
  throw new ToolError({ code: 'not_found', message: `There is no tool "${name}". ${hint}`, toolName: name });
}
