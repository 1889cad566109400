import { counted } from '../../tool/texts/counted.ts';
import { Emitter } from '../../tool/emitter.ts';
import type { JsonSchema } from '../../tool/json.ts';
import { freeName, nearestNames, shortenName } from '../../tool/texts/suggest.ts';
import type { ToolCall } from '../../tool/tool-call.ts';
import type { ToolCategory } from '../../tool/tool-category.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { boundsOf } from '../../tool/calls/call-bounds.ts';
import { ToolAlreadyExistsError, ToolError } from '../../tool/tool-error.ts';
import { wordsForModel } from '../../tool/server-words.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { LangChainTool, Tool } from '../../tool/tool.ts';
import { parseTool, type PlainTool, type ToolClass } from '../../tool/define/parse-tool.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import type { ExecutorOptions } from '../../pipeline/executor-options.ts';
import { ToolExecutor } from '../../pipeline/tool-executor.ts';
import { type AbsentTools, arrivalFor, awaitArrival } from './absent-tools.ts';
import type { AnyName, CallArguments, CallName, CallResult, ItemOf, Known, RegistryOf } from './known-tools.ts';
import { toLangChainTools } from '../../export/langchain.ts';
import { createNameTable, type NameTable } from '../../export/name-table.ts';
import { type OpenAIChatTool, toOpenAITools } from '../../export/openai.ts';
import { generatePrompt, type PromptOptions } from '../../export/prompt.ts';
import { FRAMEWORK_NAMES } from '../../export/tool-runner.ts';

/** What a board accepts: a tool, a tool class that needs nothing to be made, or the parts of a tool. */
export type Registrable = Tool | ToolClass | PlainTool;

/** Which tools of a board to hand out. */
export interface SubsetOptions {
  /** Only these, in this order. */
  readonly only?: Iterable<string> | undefined;
}

/** Whether a tool may take the place of one with the same name. */
export interface RegisterOptions {
  /** Replaces a tool of the same name instead of throwing. Default: false. */
  readonly override?: boolean;
}

/** What a registry tells its listeners, after the change. */
export interface RegistryEvents extends Record<string, unknown> {
  'tool:registered': Tool;
  'tool:updated': { readonly name: string; readonly tool: Tool; readonly previous: Tool };
  'tool:removed': { readonly name: string; readonly tool: Tool };
  'registry:cleared': { readonly count: number };
}

/** A tool as `list()` shows it. */
export interface ToolListing {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** An executor to share between boards, or the settings of one of its own. */
export type RegistryOptions = ExecutorOptions | { readonly executor: ToolExecutor };

/**
 * Tools by name, in the order they came, and calls of them.
 *
 * `register` and `registerMany` give the registry with the types of its new tools: calls of them complete names, arguments and data,
 * and a name that no tool has does not compile. A name of the type `string` is called with anything.
 *
 * @example
 * const tools = new ToolRegistry().register(tool);
 * const result = await tools.call('add', { a: 1, b: 2 });
 */
export class ToolRegistry {
  /** For the compiler alone: the tools that it knows to be here. Not there at run time. */
  declare readonly '~tools': object;
  /** For the compiler alone: `true` where tools are here whose names it does not know. */
  declare readonly '~open': unknown;
  /** The pipeline behind `call`; hooks and call events live here. */
  readonly executor: ToolExecutor;
  readonly #tools = new Map<string, Tool>();
  readonly #events = new Emitter<RegistryEvents>();
  #definitions: readonly OpenAIChatTool[] | undefined;
  /** What is known of tools that are not here; a board fills it in. */
  absent: AbsentTools | undefined;
  #providerNames: NameTable | undefined;
  #aliases: ReadonlyMap<string, Tool> | undefined;

  constructor(options: RegistryOptions = {}) {
    this.executor = 'executor' in options ? options.executor : new ToolExecutor(options);
  }

  /** Puts a tool on the board. Throws when the name is taken, unless `override` is set. */
  register<const R extends Registrable>(tool: R, options?: RegisterOptions): this & RegistryOf<R>;
  register(tool: Registrable, options: RegisterOptions = {}): unknown {
    return this.registerMany([tool], options);
  }

  /** Puts all of them on the board, or none when any of them cannot be. */
  registerMany<const L extends Iterable<Registrable>>(
    tools: L,
    options?: RegisterOptions,
  ): this & RegistryOf<ItemOf<L>>;
  registerMany(tools: Iterable<Registrable>, options: RegisterOptions = {}): unknown {
    const parsed = new Map<string, Tool>();
    for (const candidate of tools) {
      const tool = parseTool(candidate);
      const { name } = tool.metadata;
      const taken = parsed.get(name) ?? this.#tools.get(name);
      if (taken !== undefined && (options.override !== true || parsed.has(name)))
        throw this.#alreadyExists(tool, taken);
      parsed.set(name, tool);
    }
    const replaced = new Map<string, Tool>();
    for (const [name, tool] of parsed) {
      const previous = this.#tools.get(name);
      if (previous !== undefined) replaced.set(name, previous);
      this.#tools.set(name, tool);
    }
    this.#forget();
    for (const [name, tool] of parsed) {
      const previous = replaced.get(name);
      if (previous === undefined) this.#events.emit('tool:registered', tool);
      else this.#events.emit('tool:updated', { name, tool, previous });
    }
    return this;
  }

  /** Replaces a tool by another with the same name. False when there is none to replace. */
  update(name: string, replacement: Registrable): boolean {
    const tool = parseTool(replacement);
    const previous = this.#tools.get(name);
    if (previous === undefined) return false;
    if (tool.metadata.name !== name) {
      throw new ToolError({
        code: 'invalid_arguments',
        message: `update("${name}") got a tool named "${tool.metadata.name}": update does not rename. Remove "${name}" and register "${tool.metadata.name}".`,
        toolName: name,
        field: 'name',
        reason: `must be "${name}"`,
      });
    }
    this.#tools.set(name, tool);
    this.#forget();
    this.#events.emit('tool:updated', { name, tool, previous });
    return true;
  }

  /** Makes these the board's tools and no others, at once: no caller sees a state in between. */
  replaceAll(tools: Iterable<Registrable>): this {
    const next = new Map<string, Tool>();
    for (const candidate of tools) {
      const tool = parseTool(candidate);
      const taken = next.get(tool.metadata.name);
      if (taken !== undefined) throw this.#alreadyExists(tool, taken);
      next.set(tool.metadata.name, tool);
    }
    const previous = new Map(this.#tools);
    this.#tools.clear();
    for (const [name, tool] of next) this.#tools.set(name, tool);
    this.#forget();
    for (const [name, tool] of previous) if (!next.has(name)) this.#events.emit('tool:removed', { name, tool });
    for (const [name, tool] of next) {
      const before = previous.get(name);
      if (before === undefined) this.#events.emit('tool:registered', tool);
      else if (before !== tool) this.#events.emit('tool:updated', { name, tool, previous: before });
    }
    return this;
  }

  /** Takes a tool off the board. Calls that run keep it until they end. */
  remove(name: string): boolean {
    const tool = this.#tools.get(name);
    if (tool === undefined) return false;
    this.#tools.delete(name);
    this.#forget();
    this.#events.emit('tool:removed', { name, tool });
    return true;
  }

  /** Takes every tool off the board. */
  clear(): void {
    const count = this.#tools.size;
    this.#tools.clear();
    this.#forget();
    this.#events.emit('registry:cleared', { count });
  }

  /** The tool of this name, or the one that has it as an alias. */
  get<const N extends AnyName<this['~tools']>>(name: N): Known<this['~tools'], N> | undefined;
  get(name: string): unknown {
    return this.#tools.get(name) ?? this.#byAlias(name);
  }

  /** The tool that a call reaches: by its own name, or by the one an exporter gave it, for a model sends that one back. */
  find(name: string): Tool | undefined {
    const tool = this.#tools.get(name) ?? this.#byAlias(name);
    if (tool !== undefined) return tool;
    this.#providerNames ??= createNameTable(this.#tools.keys(), FRAMEWORK_NAMES);
    const original = this.#providerNames.toOriginal(name);
    return original === undefined ? undefined : this.#tools.get(original);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** Every tool, in the order they came. A copy: the board may change while you look at it. */
  getAll(): Tool[] {
    return [...this.#tools.values()];
  }

  /** The tools with these names, in this order; names that are not there are passed over. */
  only(names: Iterable<string>): Tool[] {
    return [...new Set([...names].flatMap((name) => this.#tools.get(name) ?? []))];
  }

  names(): string[] {
    return [...this.#tools.keys()];
  }

  get size(): number {
    return this.#tools.size;
  }

  getByCategory(category: ToolCategory): Tool[] {
    return this.getAll().filter(({ metadata }) => metadata.category === category);
  }

  getByTag(tag: string): Tool[] {
    return this.getAll().filter(({ metadata }) => metadata.tags?.includes(tag) === true);
  }

  /** Tools with the text in their name, display name, description, category or tags, in any case. */
  search(query: string): Tool[] {
    const wanted = query.toLowerCase();
    return this.getAll().filter(({ metadata: { name, displayName, description, category, tags } }) =>
      [name, displayName, description, category, ...(tags ?? [])].some((text) => text?.toLowerCase().includes(wanted)),
    );
  }

  /** Name, description and parameter schema of every tool, as models get them. */
  list(): ToolListing[] {
    return this.getAll().map((tool) => {
      const { metadata, inputSchema: parameters } = wordsForModel(tool);
      return { name: metadata.name, description: metadata.description, parameters };
    });
  }

  /** Every tool in OpenAI's function format. Made once, then the same array until the board changes. */
  definitions(): readonly OpenAIChatTool[] {
    this.#definitions ??= toOpenAITools(this).tools;
    return this.#definitions;
  }

  /** Calls a tool by its name, or by the name a provider had to know it by. Never throws. */
  call<const N extends AnyName<this['~tools']>>(
    name: N & CallName<this, N>,
    ...rest: CallArguments<this['~tools'], N>
  ): Promise<CallResult<this['~tools'], N>>;
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolResult> {
    // Calls come from models and their frameworks, which know no types.
    if (typeof name !== 'string') return Promise.resolve(this.executor.refuse(refuseName(name), options));
    const tool = this.find(name);
    if (tool !== undefined) return this.executor.execute(tool, args, options);
    const arrival = arrivalFor(this, name, options?.context);
    if (arrival !== undefined) return this.#callLater(arrival, { name, args, options });
    return Promise.resolve(this.#refuseUnknown(name, options));
  }

  /** Calls several tools at once, as a model asks for them; results come in the order of the calls. */
  callAll(calls: Iterable<ToolCall>, options: Omit<CallOptions, 'callId'> = {}): Promise<ToolResult[]> {
    return Promise.all(
      [...calls].map(({ id, name, input, malformed }) => {
        const callOptions = { coerce: true, ...options, callId: id };
        const tool = typeof name === 'string' ? this.find(name) : undefined;
        const isThere = tool !== undefined && boundsOf(options.context)?.reaches(tool) !== false;
        // A tool that is not there matters more than how it was called.
        // Which tools are known is of no use for names that models send.
        if (malformed === undefined || !isThere) return (this as ToolRegistry).call(name, input, callOptions);
        const error = new ToolError({
          code: 'invalid_arguments',
          message: malformed,
          toolName: name,
          field: 'arguments',
        });
        return Promise.resolve(this.executor.refuse(error, callOptions));
      }),
    );
  }

  /** The board as text for a system prompt. */
  generatePrompt(options?: PromptOptions): string {
    return generatePrompt(this, options);
  }

  /** LangChain tools whose `invoke` goes through this board's pipeline. */
  toLangChainTools(options: SubsetOptions = {}): LangChainTool[] {
    return toLangChainTools(options.only === undefined ? this.getAll() : this.only(options.only), this.executor);
  }

  /** Listens for changes, and gives the function that stops listening. */
  on<E extends keyof RegistryEvents>(event: E, listener: (payload: RegistryEvents[E]) => unknown): () => void {
    return this.#events.on(event, listener);
  }

  off<E extends keyof RegistryEvents>(event: E, listener: (payload: RegistryEvents[E]) => unknown): void {
    this.#events.off(event, listener);
  }

  /** Made when a name is not found, which is seldom. */
  #byAlias(name: string): Tool | undefined {
    this.#aliases ??= new Map(
      this.getAll().flatMap((tool) => (tool.metadata.aliases ?? []).map((alias) => [alias, tool] as const)),
    );
    return this.#aliases.get(name);
  }

  #forget(): void {
    this.#aliases = undefined;
    this.#definitions = undefined;
    this.#providerNames = undefined;
  }

  /** Calls a tool that may come, once that is decided. */
  async #callLater(
    arrival: Promise<void>,
    {
      name,
      args,
      options,
    }: { readonly name: string; readonly args: unknown; readonly options: CallOptions | undefined },
  ): Promise<ToolResult> {
    const rest = await awaitArrival(arrival, name, options);
    if (rest instanceof ToolError) return this.executor.refuse(rest, options);
    const tool = this.find(name);
    return tool === undefined ? this.#refuseUnknown(name, rest) : this.executor.execute(tool, args, rest);
  }

  #refuseUnknown(name: string, options: CallOptions | undefined): ToolResult {
    // Names that the caller does not have are no hint for it.
    const error = boundsOf(options?.context)?.explainUnknown(name) ?? this.explainUnknown(name);
    return this.executor.refuse(error, options);
  }

  /** The error for a name that is not here: why, where that is known, or the nearest names. */
  explainUnknown(name: string): ToolError {
    const absence = this.absent?.explain(name);
    if (absence?.type === 'known') return absence.error;
    const nearest = nearestNames(name, this.#tools.keys());
    const hint =
      nearest.length > 0
        ? `Did you mean: ${nearest.join(', ')}?`
        : this.#tools.size === 0
          ? 'The board has no tools.'
          : `The board has ${counted(this.#tools.size, 'tool')}; search it for what you need.`;
    const remark = absence === undefined ? '' : ` ${absence.remark}`;
    return new ToolError({
      code: 'not_found',
      message: `There is no tool "${shortenName(name)}". ${hint}${remark}`,
      toolName: name,
    });
  }

  #alreadyExists(tool: Tool, taken: Tool): ToolAlreadyExistsError {
    const { name, source } = tool.metadata;
    const suggestion = freeName(name, (candidate) => this.#tools.has(candidate));
    const from = (place: string | undefined): string => (place === undefined ? 'from code' : `from ${place}`);
    return new ToolAlreadyExistsError({
      toolName: name,
      suggestion,
      message: `Tool "${name}" is already registered (${from(taken.metadata.source)}); the one ${from(source)} was not added. Rename it, for example to "${suggestion}", or pass { override: true }.`,
    });
  }
}

function refuseName(name: unknown): ToolError {
  const message = `The name of a tool is text; got ${describeValue(name)}. Name the tool to call.`;
  return new ToolError({ code: 'not_found', message });
}
