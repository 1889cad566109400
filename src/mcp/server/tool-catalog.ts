import type { Tool } from '../../core/tool.ts';
import { type McpTool, toMcpTools } from '../../export/mcp.ts';
import type { Era } from '../protocol/versions.ts';
import type { Access } from './caller.ts';
import { createPagedList, type PagedList } from './paged-list.ts';
import type { ServedBoard } from './served-board.ts';
import type { McpServerOptions } from './server-options.ts';
import { exposeTools } from './tool-exposure.ts';

const MAX_LISTS = 100;
const DEFAULT_BUDGET = 10_000;

/** The tools as clients see them: written once for each set of rights, until the board changes. */
export class ToolCatalog {
  readonly #board: ServedBoard;
  readonly #options: McpServerOptions;
  readonly #lists = new Map<string, PagedList>();
  readonly #written = new Map<Tool, string | undefined>();
  #discoveryTools: readonly Tool[] | undefined;

  constructor(board: ServedBoard, options: McpServerOptions) {
    this.#board = board;
    this.#options = options;
  }

  /** A page of `tools/list` as JSON. */
  list(access: Access, era: Era, cursor: unknown): string {
    let list = this.#lists.get(access.key);
    if (list === undefined) {
      // Rights come from tokens: nobody may fill the memory with ever new ones.
      if (this.#lists.size >= MAX_LISTS) this.#lists.clear();
      this.#lists.set(access.key, (list = this.#write(access)));
    }
    return list.page(cursor, era);
  }

  /** A tool that may be called though it is not on the board: one that finds others. */
  findExtra(name: string): Tool | undefined {
    if (this.#options.mode === 'classic') return undefined;
    return this.#discovery().find(({ metadata }) => metadata.name === name);
  }

  /** Forgets what was written: the board has changed. */
  forget(): void {
    this.#lists.clear();
    this.#written.clear();
  }

  #write(access: Access): PagedList {
    const { mode = 'auto', tokenBudget = DEFAULT_BUDGET, pageSize = 1_000, listTtl = 60_000 } = this.#options;
    const tools = exposeTools(this.#board.registry.getAll(), access, {
      mode,
      tokenBudget,
      pinned: new Set(this.#options.pinned?.() ?? []),
      discoveryTools: () => this.#discovery(),
      tokens: (shown) => estimate(this.#texts(shown)),
    });
    return createPagedList(this.#texts(tools), {
      field: 'tools',
      pageSize,
      isPublic: access.key === '',
      ttl: listTtl,
    });
  }

  #discovery(): readonly Tool[] {
    this.#discoveryTools ??= this.#options.discoveryTools?.() ?? [];
    return this.#discoveryTools;
  }

  #texts(tools: readonly Tool[]): string[] {
    const missing = tools.filter((tool) => !this.#written.has(tool));
    if (missing.length > 0) {
      const written = new Map(toMcpTools(missing).tools.map((tool): [string, McpTool] => [tool.name, tool]));
      for (const tool of missing) {
        const shown = written.get(tool.metadata.name);
        this.#written.set(tool, shown === undefined ? undefined : JSON.stringify(shown));
      }
    }
    return tools.flatMap((tool) => this.#written.get(tool) ?? []);
  }
}

function estimate(texts: readonly string[]): number {
  let length = 0;
  for (const text of texts) length += text.length;
  return Math.ceil(length / 4);
}
