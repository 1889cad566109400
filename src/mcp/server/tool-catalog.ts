import { findForPage, isForModels, type PageTool } from '../../tool/app-pages.ts';
import { isCodeTool, isDiscoveryTool, isSkillTool } from '../../tool/tool-marks.ts';
import { META_TOOL_NAMES } from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';
import { createCodeTools, toTarget } from '../../code/code-tools.ts';
import { createDiscoveryTools } from '../../discovery/meta-tools/create-discovery-tools.ts';
import { type DiscoveryIndex, scopeIndex } from '../../discovery/meta-tools/discovery-view.ts';
import { estimateTokens } from '../../discovery/tokens/estimate-tokens.ts';
import { ToolIndex } from '../../discovery/tool-index.ts';
import { type McpTool, toMcpTools } from '../../export/mcp.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { Access } from './caller.ts';
import { type PagedList, createPagedList } from './sources/paged-list.ts';
import type { BoardParts } from '../../discovery/board-like.ts';
import type { McpServerOptions } from './server-options.ts';
import { createReadSkill } from './read-skill-tool.ts';

/** The board as one caller may see and use it. */
export interface ToolView {
  /** The tools that models may call. */
  readonly registry: ToolRegistry;
  /** Formatted on first use. */
  list(options?: ListOptions): PagedList;
  /** Finds a tool by name, including those that find others. */
  find(name: string): Tool | undefined;
  /** Finds the tool that a page (MCP Apps) names, by its name here or at the page's server. */
  findForPage(name: string): PageTool | undefined;
}

/** Client features that change the list. */
interface ListOptions {
  /**
   * Tasks of 2025-11-25: each tool declares whether it can be one. Other clients see no tool that requires a task: the board creates it.
   * Default: false.
   */
  readonly tasks?: boolean;
  /** Pages: tools that only pages may call are listed; the client hides them from models. Default: false. */
  readonly pages?: boolean;
}

const MAX_VIEWS = 100;
const DEFAULT_BUDGET = 10_000;

/** The tools as clients see them: formatted once for each set of rights, until the board changes. */
export class ToolCatalog {
  readonly #board: BoardParts;
  #options: McpServerOptions;
  readonly #views = new Map<string, ToolView>();
  readonly #written = new Map<Tool, string | undefined>();

  constructor(board: BoardParts, options: McpServerOptions) {
    this.#board = board;
    this.#options = options;
  }

  view(access: Access): ToolView {
    let view = this.#views.get(access.key);
    if (view === undefined) {
      // Rights come from tokens: new ones must not fill the memory.
      if (this.#views.size >= MAX_VIEWS) this.#views.clear();
      this.#views.set(access.key, (view = this.#open(access)));
    }
    return view;
  }

  update(options: McpServerOptions): void {
    this.#options = options;
    this.forget();
  }

  /** Clears everything formatted: the board has changed. */
  forget(): void {
    this.#views.clear();
    this.#written.clear();
  }

  #open(access: Access): ToolView {
    const { registry: whole } = this.#board;
    const hidden = whole.getAll().filter((tool) => !isForModels(tool) && access.allows(tool));
    const registry = access.key === '' && hidden.length === 0 ? whole : this.#restrict(access);
    let discovery: readonly Tool[] | undefined;
    const lists = new Map<string, PagedList>();
    let skills: { readonly tool: Tool | undefined } | undefined;
    let isWhole: boolean | undefined;
    const discoveryTools = (): readonly Tool[] => (discovery ??= this.#discoveryTools(registry));
    const readSkill = (): Tool | undefined => (skills ??= { tool: createReadSkill(registry) }).tool;
    return {
      registry,
      list: ({ tasks = false, pages = false } = {}) => {
        const key = `${tasks} ${pages}`;
        const known = lists.get(key);
        if (known !== undefined) return known;
        const tools = [...this.#listed(registry, discoveryTools, readSkill), ...(pages ? hidden : [])];
        const list = this.#write(tools, tasks ? (text) => this.#withTasks(text) : withoutNeedForTasks);
        lists.set(key, list);
        return list;
      },
      find: (name) => {
        const { mode } = this.#options;
        // A name means the tool that is listed under it: a tool of the board must not receive calls for others.
        const isListed =
          mode === 'code' ||
          (META_TOOL_NAMES.has(name) && !(isWhole ??= this.#listsAll(this.#listable(registry, readSkill()))));
        const first = isListed ? findNamed(discoveryTools(), name) : undefined;
        const found = first ?? registry.find(name) ?? (name === 'read_skill' ? readSkill() : undefined);
        return found ?? (mode === 'classic' || mode === 'code' ? undefined : findNamed(discoveryTools(), name));
      },
      findForPage: (name) => findForPage([...registry.getAll(), ...hidden], name),
    };
  }

  /** Returns a registry with only the tools that the rights and models allow, so that nothing else can be found or called. */
  #restrict(access: Access): ToolRegistry {
    const { registry } = this.#board;
    const isWhole = access.key === '';
    // The board's own discovery tools find all of its tools for models.
    const allowed = registry
      .getAll()
      .filter((tool) => (isWhole || !isDiscoveryTool(tool)) && isForModels(tool) && access.allows(tool));
    const restricted = new ToolRegistry({ executor: registry.executor }).registerMany(allowed);
    if (isWhole) {
      restricted.absent = registry.absent;
      return restricted;
    }
    // A caller learns nothing of servers outside of its rights and starts none of them by a name.
    restricted.absent = {
      explain: () => undefined,
      denial: () => undefined,
      arrival: (name) => registry.absent?.arrival(name, 'wait'),
    };
    return restricted;
  }

  #discoveryTools(registry: ToolRegistry): readonly Tool[] {
    const { compat, mode } = this.#options;
    const own = compat === undefined ? registry.getAll().filter(isDiscoveryTool) : [];
    if (own.length > 0 && (mode !== 'code' || own.some(isCodeTool))) return own;
    // A board with programs has them for restricted callers too: their rights bound their programs.
    const isCode = mode === 'code' || (compat === undefined && this.#board.registry.getAll().some(isCodeTool));
    if (isCode) return createCodeTools(toTarget(this.#board, { registry, index: this.#indexFor(registry) }));
    return createDiscoveryTools({ registry, index: this.#indexFor(registry) }, { compat });
  }

  #indexFor(registry: ToolRegistry): DiscoveryIndex {
    const { index } = this.#board;
    if (index === undefined) return ToolIndex.from(registry);
    return registry === this.#board.registry ? index : scopeIndex(index, registry);
  }

  #write(tools: readonly Tool[], rewrite: (text: string) => string): PagedList {
    const { pageSize = 1_000, listTtl = 60_000 } = this.#options;
    return createPagedList(this.#texts(tools).map(rewrite), { field: 'tools', pageSize, ttl: listTtl });
  }

  /** Any call may take long, so any tool can be a task unless its server says otherwise; the options decide which must be. */
  #withTasks(text: string): string {
    // Formatted here.
    const tool = JSON.parse(text) as McpTool;
    const { only = [] } = this.#options.tasks ?? {};
    const named = this.#board.registry.only(only).map(({ metadata }) => metadata.name);
    const own = [...only, ...named].includes(tool.name) ? { taskSupport: 'required' } : {};
    return JSON.stringify({ ...tool, execution: { taskSupport: 'optional', ...tool.execution, ...own } });
  }

  #listed(
    registry: ToolRegistry,
    discoveryTools: () => readonly Tool[],
    readSkill: () => Tool | undefined,
  ): readonly Tool[] {
    const all = this.#listable(registry, readSkill());
    return this.#listsAll(all) ? all : this.#withPinned(discoveryTools(), all);
  }

  /** Returns the tools with one for all skills; each skill can still be called by its own name. */
  #listable(registry: ToolRegistry, skill: Tool | undefined): readonly Tool[] {
    const all = registry.getAll();
    return skill === undefined ? all : [...all.filter((tool) => !isSkillTool(tool)), skill];
  }

  /** Returns true when all tools are listed instead of those that find others. */
  #listsAll(all: readonly Tool[]): boolean {
    const { compat, tokenBudget = DEFAULT_BUDGET } = this.#options;
    // A server with CLImax's names lists them on a small board too.
    const { mode = compat === undefined ? 'auto' : 'discovery' } = this.#options;
    return mode === 'classic' || (mode === 'auto' && fits(this.#texts(all), tokenBudget));
  }

  /** The order depends only on the board, not on earlier searches. */
  #withPinned(discoveryTools: readonly Tool[], all: readonly Tool[]): readonly Tool[] {
    const pinned = new Set(this.#board.pinned);
    for (const { metadata } of discoveryTools) pinned.delete(metadata.name);
    return [...discoveryTools, ...all.filter(({ metadata }) => pinned.has(metadata.name))];
  }

  #texts(tools: readonly Tool[]): string[] {
    const missing = tools.filter((tool) => !this.#written.has(tool));
    if (missing.length > 0) {
      const { redactor } = this.#board.registry.executor;
      const shown = new Map(toMcpTools(missing).tools.map((tool) => [tool.name, tool]));
      for (const tool of missing) {
        const written = shown.get(tool.metadata.name);
        this.#written.set(tool, written === undefined ? undefined : JSON.stringify(redactor.data(written)));
      }
    }
    return tools.flatMap((tool) => this.#written.get(tool) ?? []);
  }
}

function findNamed(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find(({ metadata }) => metadata.name === name);
}

function withoutNeedForTasks(text: string): string {
  if (!text.includes('"taskSupport":"required"')) return text;
  // Formatted by the exporter.
  const tool = JSON.parse(text) as McpTool;
  if (tool.execution?.['taskSupport'] !== 'required') return text;
  return JSON.stringify({ ...tool, execution: { ...tool.execution, taskSupport: 'optional' } });
}

/** Stops at the budget: boards can be large. */
function fits(texts: readonly string[], budget: number): boolean {
  let tokens = 0;
  return texts.every((text) => (tokens += estimateTokens(text)) <= budget);
}
