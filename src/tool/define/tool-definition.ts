import type { JsonSchema } from '../json.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ToolMetadata } from '../tool-metadata.ts';
import { type ToolParameter, toObjectSchema } from '../tool-parameter.ts';
import type { ToolResult } from '../tool-result.ts';
import type { ToolSchema } from '../schema-types.ts';
import type { LangChainTool, Tool, Validation } from '../tool.ts';
import { makeTool } from './make-tool.ts';

/**
 * A tool as a class, for tools with state such as a connection, a client or a setting. An instance is a `Tool`.
 *
 * @example
 * class SearchTool extends ToolDefinition<{ query: string; limit: number }> {
 *   name() { return 'search_web'; }
 *   description() { return 'Search the web for information.'; }
 *   parameters() {
 *     return [
 *       ToolParameter.string('query', 'The search query'),
 *       ToolParameter.integer('limit', 'Max results', { default: 10 }),
 *     ];
 *   }
 *   async handle({ query, limit }: { query: string; limit: number }) {
 *     const response = await fetch(`https://search.example/?q=${encodeURIComponent(query)}&limit=${limit}`);
 *     return ToolResult.json(await response.json());
 *   }
 * }
 */
// `any`: without a type argument the compiler cannot know what `parameters()` declares at run time.
// oxlint-disable-next-line typescript/no-explicit-any
export abstract class ToolDefinition<TArgs extends object = Record<string, any>> implements Tool<
  Partial<TArgs>,
  ToolResult
> {
  #tool: Tool | undefined;

  abstract name(): string;
  abstract description(): string;
  /** Runs the tool. `args` are validated and have defaults filled in. */
  abstract handle(args: TArgs, context: ToolContext): ToolResult | Promise<ToolResult>;

  /** Returns the parameters. Default: none. */
  parameters(): ToolParameter[] {
    return [];
  }

  /** Returns further metadata: category, tags, risk, timeout, examples and so on. */
  options(): Partial<ToolMetadata> {
    return {};
  }

  /** Created on first use: a tool does not change while it is on a board. */
  get #made(): Tool {
    this.#tool ??= makeTool({
      metadata: { ...this.options(), name: this.name(), description: this.description() },
      schema: toObjectSchema(this.parameters()),
      run: (args: TArgs, context) => this.handle(args, context),
    });
    return this.#tool;
  }

  get metadata(): ToolMetadata {
    return this.#made.metadata;
  }

  get schema(): ToolSchema {
    return this.#made.schema;
  }

  get inputSchema(): JsonSchema {
    return this.#made.inputSchema;
  }

  validate(input: unknown): Validation | Promise<Validation> {
    return this.#made.validate(input);
  }

  run(input: unknown, context: ToolContext): ToolResult | Promise<ToolResult> {
    // Input is validated before, so it matches `parameters()`.
    return this.handle(input as TArgs, context);
  }

  async execute(input: Partial<TArgs>, context?: ToolContext | Readonly<Record<string, unknown>>): Promise<ToolResult> {
    // `handle` returns a ToolResult, and nothing in between changes it.
    return (await this.#made.execute(input, context)) as ToolResult;
  }

  toLangChainTool(): LangChainTool {
    return this.#made.toLangChainTool();
  }
}
