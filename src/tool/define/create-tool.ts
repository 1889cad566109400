import { findMetadataFaults, refuseTool } from '../check-metadata.ts';
import type { ToolCategory } from '../tool-category.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ToolExample, ToolMetadata, ToolRisk } from '../tool-metadata.ts';
import type { SchemaInput, SchemaOutput, Tool, ToolSchema } from '../tool.ts';
import { makeTool } from './make-tool.ts';

/** Writes a tool step by step. Each step gives a new builder, so a half-written tool can be shared. */
export interface ToolBuilder<TInput, TArgs, TOutput> {
  name(name: string): ToolBuilder<TInput, TArgs, TOutput>;
  description(description: string): ToolBuilder<TInput, TArgs, TOutput>;
  category(category: ToolCategory): ToolBuilder<TInput, TArgs, TOutput>;
  /** Fixes the input type. */
  schema<S extends ToolSchema>(schema: S): ToolBuilder<SchemaInput<S>, SchemaOutput<S>, TOutput>;
  /** Fixes the output type. */
  implement<T>(run: (input: TArgs, context: ToolContext) => T | Promise<T>): ToolBuilder<TInput, TArgs, Awaited<T>>;
  displayName(name: string): ToolBuilder<TInput, TArgs, TOutput>;
  tags(tags: readonly string[]): ToolBuilder<TInput, TArgs, TOutput>;
  /** Adds an example; call it once for each. */
  example(example: ToolExample): ToolBuilder<TInput, TArgs, TOutput>;
  /** What people say when they need the tool, for search. */
  utterances(utterances: readonly string[]): ToolBuilder<TInput, TArgs, TOutput>;
  usageNotes(notes: string): ToolBuilder<TInput, TArgs, TOutput>;
  limitations(limitations: readonly string[]): ToolBuilder<TInput, TArgs, TOutput>;
  version(version: string): ToolBuilder<TInput, TArgs, TOutput>;
  author(author: string): ToolBuilder<TInput, TArgs, TOutput>;
  /** Marks the tool as deprecated; it stays callable. */
  deprecated(replacedBy?: string): ToolBuilder<TInput, TArgs, TOutput>;
  source(source: string): ToolBuilder<TInput, TArgs, TOutput>;
  risk(risk: ToolRisk): ToolBuilder<TInput, TArgs, TOutput>;
  /** The arguments that are paths, for policies with roots; empty when none is. */
  paths(names: readonly string[]): ToolBuilder<TInput, TArgs, TOutput>;
  /** Milliseconds a call may take. */
  timeout(milliseconds: number): ToolBuilder<TInput, TArgs, TOutput>;
  concurrency(calls: number): ToolBuilder<TInput, TArgs, TOutput>;
  retries(retries: number): ToolBuilder<TInput, TArgs, TOutput>;
  maxOutput(characters: number): ToolBuilder<TInput, TArgs, TOutput>;
  deferLoading(defer?: boolean): ToolBuilder<TInput, TArgs, TOutput>;
  outputSchema(schema: ToolSchema): ToolBuilder<TInput, TArgs, TOutput>;
  /** Checks everything and makes the tool; the error says which step is missing. */
  build(): Tool<TInput, TOutput>;
}

interface Draft {
  readonly metadata: Partial<ToolMetadata>;
  readonly schema?: ToolSchema;
  readonly outputSchema?: ToolSchema;
  readonly run?: (input: never, context: ToolContext) => unknown;
}

/**
 * Starts a tool.
 *
 * @example
 * const add = createTool()
 *   .name('add')
 *   .description('Add two numbers')
 *   .schema(z.object({ a: z.number(), b: z.number() }))
 *   .implement(({ a, b }) => a + b)
 *   .build();
 */
export function createTool(): ToolBuilder<unknown, unknown, unknown> {
  return toBuilder<unknown, unknown, unknown>({ metadata: {} });
}

function toBuilder<TInput, TArgs, TOutput>(draft: Draft): ToolBuilder<TInput, TArgs, TOutput> {
  const set = (metadata: Partial<ToolMetadata>): ToolBuilder<TInput, TArgs, TOutput> =>
    toBuilder({ ...draft, metadata: { ...draft.metadata, ...metadata } });
  return {
    name: (name) => set({ name }),
    description: (description) => set({ description }),
    category: (category) => set({ category }),
    displayName: (displayName) => set({ displayName }),
    tags: (tags) => set({ tags }),
    example: (example) => set({ examples: [...(draft.metadata.examples ?? []), example] }),
    utterances: (utterances) => set({ utterances }),
    usageNotes: (usageNotes) => set({ usageNotes }),
    limitations: (limitations) => set({ limitations }),
    version: (version) => set({ version }),
    author: (author) => set({ author }),
    deprecated: (replacedBy) => set({ deprecated: true, ...(replacedBy === undefined ? {} : { replacedBy }) }),
    source: (source) => set({ source }),
    risk: (risk) => set({ risk }),
    timeout: (timeout) => set({ timeout }),
    concurrency: (concurrency) => set({ concurrency }),
    retries: (retries) => set({ retries }),
    maxOutput: (maxOutput) => set({ maxOutput }),
    paths: (paths) => set({ paths }),
    deferLoading: (deferLoading = true) => set({ deferLoading }),
    outputSchema: (outputSchema) => toBuilder({ ...draft, outputSchema }),
    schema: (schema) => toBuilder({ ...draft, schema }),
    implement: (run) => toBuilder({ ...draft, run }),
    // The steps before fixed these types; `makeTool` itself knows none.
    build: () => buildTool(draft) as Tool<TInput, TOutput>,
  };
}

function buildTool(draft: Draft): Tool {
  const { metadata, schema, run } = draft;
  const steps = { name: metadata.name, description: metadata.description, schema, implement: run };
  const missing = Object.entries(steps)
    .filter(([, value]) => value === undefined)
    .map(([field]) => field);
  if (schema === undefined || run === undefined || missing.length > 0) {
    throw refuseTool(metadata.name, [
      ...findMetadataFaults({ ...metadata }).filter(({ field }) => !missing.includes(field)),
      ...missing.map((field) => ({ field, reason: `is missing: call .${field}(…) before .build()` })),
    ]);
  }
  return makeTool({ ...draft, metadata: { ...metadata }, schema, run });
}
