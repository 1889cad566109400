import { Emitter } from '../../tool/emitter.ts';
import type { JsonSchema } from '../../tool/json.ts';
import type { LangChainTool, Tool, ToolCall } from '../../tool/tool.ts';
import type { ToolCategory } from '../../tool/tool-metadata.ts';
import { boundsOf } from '../../tool/calls/call-bounds.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { wordsForModel } from '../../tool/server-words.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import { parseTool, type PlainTool, type ToolClass } from '../../tool/define/parse-tool.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import type { ExecutorOptions } from '../../pipeline/executor-options.ts';
import { ToolExecutor } from '../../pipeline/tool-executor.ts';
import { type AbsentTools, arrivalFor, awaitArrival } from './absent-tools.ts';
import type { AnyName, CallArguments, CallName, CallResult, ItemOf, Known, RegistryOf } from './known-tools.ts';
import { duplicateTool, unknownTool, unnamedTool } from './registry-errors.ts';
import { toLangChainTools } from '../../export/langchain.ts';
import { createNameTable, FRAMEWORK_NAMES, type NameTable } from '../../export/name-table.ts';
import { type OpenAIChatTool, toOpenAITools } from '../../export/openai.ts';
import { generatePrompt, type PromptOptions } from '../../export/prompt.ts';

/** The forms of a tool that a registry accepts: a tool, a tool class without constructor arguments, or the parts of a tool. */
export type Registrable = Tool | ToolClass | PlainTool;

/** Selects tools of a registry. */
export interface SubsetOptions {
  /** The names of the tools, in this order. */
  readonly only?: Iterable<string> | undefined;
}

/** Options of `register`. */
export interface RegisterOptions {
  /** Replaces a tool of the same name instead of throwing. Default: false. */
  readonly override?: boolean;
}

/** Events of a registry, emitted after the change. */
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

/** An executor to share between registries, or the options of a new one. */
export type RegistryOptions = ExecutorOptions | { readonly executor: ToolExecutor };

/**
 * A set of tools by name, in the order of registration, with calls of them.
 *
 * `register` and `registerMany` return the registry with the types of its new tools: editors complete their names, arguments and data,
 * and an unknown name does not compile. A name of the type `string` accepts any arguments.
 *
 * @example
 * const tools = new ToolRegistry().register(tool);
 * const result = await tools.call('add', { a: 1, b: 2 });
 */
export class ToolRegistry {
  /** The tools that the compiler knows to be registered. Does not exist at run time. */
  declare readonly '~tools': object;
  /** `true` when the registry has tools that the compiler does not know. Does not exist at run time. */
  declare readonly '~open': unknown;
  /** The pipeline behind `call`, with its hooks and call events. */
  readonly executor: ToolExecutor;
  readonly #tools = new Map<string, Tool>();
  readonly #events = new Emitter<RegistryEvents>();
  #definitions: readonly OpenAIChatTool[] | undefined;
  /** Explains tools that are not registered; a board sets it. */
  absent: AbsentTools | undefined;
  #providerNames: NameTable | undefined;
  #aliases: ReadonlyMap<string, Tool> | undefined;

  constructor(options: RegistryOptions = {}) {
    this.executor = 'executor' in options ? options.executor : new ToolExecutor(options);
  }

  /** Registers a tool. Throws when the name is taken, unless `override` is set. */
  register<const R extends Registrable>(tool: R, options?: RegisterOptions): this & RegistryOf<R>;
  register(tool: Registrable, options: RegisterOptions = {}): unknown {
    return this.registerMany([tool], options);
  }

  /** Registers all of the tools, or none if one of them cannot be registered. */
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

  /** Replaces a tool by another with the same name. Returns false when there is none to replace. */
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

  /** Replaces all tools at once: no caller sees a state in between. */
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

  /** Removes a tool. Running calls keep it until they end. */
  remove(name: string): boolean {
    const tool = this.#tools.get(name);
    if (tool === undefined) return false;
    this.#tools.delete(name);
    this.#forget();
    this.#events.emit('tool:removed', { name, tool });
    return true;
  }

  /** Removes all tools. */
  clear(): void {
    const count = this.#tools.size;
    this.#tools.clear();
    this.#forget();
    this.#events.emit('registry:cleared', { count });
  }

  /** Returns the tool with this name or alias. */
  get<const N extends AnyName<this['~tools']>>(name: N): Known<this['~tools'], N> | undefined;
  get(name: string): unknown {
    return this.#tools.get(name) ?? this.#byAlias(name);
  }

  /** Finds the tool of a call: by its name, its alias, or the name that an exporter gave it, which models send back. */
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

  /** Returns a copy of the list of tools, in the order of registration. */
  getAll(): Tool[] {
    return [...this.#tools.values()];
  }

  /** Returns the tools with these names, in this order; unknown names are skipped. */
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

  /** Finds tools by a text in their name, display name, description, category or tags, ignoring case. */
  search(query: string): Tool[] {
    const wanted = query.toLowerCase();
    return this.getAll().filter(({ metadata: { name, displayName, description, category, tags } }) =>
      [name, displayName, description, category, ...(tags ?? [])].some((text) => text?.toLowerCase().includes(wanted)),
    );
  }

  /** Returns the name, description and parameter schema of every tool, as models get them. */
  list(): ToolListing[] {
    return this.getAll().map((tool) => {
      const { metadata, inputSchema: parameters } = wordsForModel(tool);
      return { name: metadata.name, description: metadata.description, parameters };
    });
  }

  /** Returns every tool in OpenAI's function format: the same array until the registry changes. */
  definitions(): readonly OpenAIChatTool[] {
    this.#definitions ??= toOpenAITools(this).tools;
    return this.#definitions;
  }

  /** Calls a tool by its name, or by the name that an exporter gave it. Never throws. */
  call<const N extends AnyName<this['~tools']>>(
    name: N & CallName<this, N>,
    ...rest: CallArguments<this['~tools'], N>
  ): Promise<CallResult<this['~tools'], N>>;
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolResult> {
    // Calls come from models and their frameworks, which are not type-checked.
    if (typeof name !== 'string') return Promise.resolve(this.executor.refuse(unnamedTool(name), options));
    const tool = this.find(name);
    if (tool !== undefined) return this.executor.execute(tool, args, options);
    const arrival = arrivalFor(this, name, options?.context);
    if (arrival !== undefined) return this.#callLater(arrival, { name, args, options });
    return Promise.resolve(this.#refuseUnknown(name, options));
  }

  /** Calls several tools at once, as models request them; results are in the order of the calls. */
  callAll(calls: Iterable<ToolCall>, options: Omit<CallOptions, 'callId'> = {}): Promise<ToolResult[]> {
    return Promise.all(
      [...calls].map(({ id, name, input, malformed }) => {
        const callOptions = { coerce: true, ...options, callId: id };
        const tool = typeof name === 'string' ? this.find(name) : undefined;
        const isThere = tool !== undefined && boundsOf(options.context)?.reaches(tool) !== false;
        // An unknown tool is reported before malformed arguments. Names that models send are not type-checked.
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

  /** Describes the tools as text for a system prompt. */
  generatePrompt(options?: PromptOptions): string {
    return generatePrompt(this, options);
  }

  /** Returns LangChain tools whose `invoke` runs this registry's pipeline. */
  toLangChainTools(options: SubsetOptions = {}): LangChainTool[] {
    return toLangChainTools(options.only === undefined ? this.getAll() : this.only(options.only), this.executor);
  }

  /** Listens for changes. Returns a function that stops listening. */
  on<E extends keyof RegistryEvents>(event: E, listener: (payload: RegistryEvents[E]) => unknown): () => void {
    return this.#events.on(event, listener);
  }

  off<E extends keyof RegistryEvents>(event: E, listener: (payload: RegistryEvents[E]) => unknown): void {
    this.#events.off(event, listener);
  }

  /** Builds the table of aliases when a name is not found, which is rare. */
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

  /** Calls a tool of a server that is still starting, once its tools are known. */
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
    // The suggested names must be ones that the caller may use.
    const error = boundsOf(options?.context)?.explainUnknown(name) ?? this.explainUnknown(name);
    return this.executor.refuse(error, options);
  }

  /** Returns the error for an unknown name: the reason if known, otherwise the nearest names. */
  explainUnknown(name: string): ToolError {
    const absence = this.absent?.explain(name);
    if (absence?.type === 'known') return absence.error;
    return unknownTool(name, [...this.#tools.keys()], absence?.remark);
  }

  #alreadyExists(tool: Tool, taken: Tool): ToolError {
    return duplicateTool(tool, taken, (name) => this.#tools.has(name));
  }
}
