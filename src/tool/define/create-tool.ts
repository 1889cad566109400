import { findMetadataFaults, refuseTool } from '../check-metadata.ts';
import type { ToolCategory } from '../tool-category.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ToolExample, ToolMetadata, ToolRisk } from '../tool-metadata.ts';
import type { OnlyObjects, OutputUnder, SchemaInput, SchemaOutput, ToolSchema } from '../schema-types.ts';
import type { Tool } from '../tool.ts';
import { makeTool } from './make-tool.ts';

/** What the steps so far have fixed: the types of the tool, and the steps that are still to come. */
export interface DraftTypes {
  readonly name: string;
  readonly input: unknown;
  readonly args: unknown;
  readonly output: unknown;
  readonly outputSchema: ToolSchema | undefined;
  readonly missing: 'name' | 'description' | 'schema' | 'implement';
}

/** The draft after a step that is no longer missing and fixed some types. */
type Step<B extends DraftTypes, K, T = unknown> = {
  readonly [P in keyof DraftTypes]: P extends 'missing' ? Exclude<B[P], K> : P extends keyof T ? T[P] : B[P];
} extends infer Next extends DraftTypes
  ? ToolDraft<Next>
  : never;

/** Stands for `build()` while these steps are missing. */
export interface CallFirst<Missing extends string> {
  readonly missing: Missing;
}

/** Writes a tool step by step. Each step gives a new draft, so several tools can begin with the same one. */
export interface ToolDraft<B extends DraftTypes = DraftTypes> {
  /** The tool's name: 1 to 128 of `A-Z a-z 0-9 _ . -`. */
  name<const N extends string>(name: N): Step<B, 'name', { readonly name: N }>;
  /** What the tool does, for models and people. */
  description(description: string): Step<B, 'description'>;
  /** The group the tool belongs to. */
  category(category: ToolCategory): ToolDraft<B>;
  /** Fixes the input type. */
  schema<const S extends ToolSchema>(
    schema: S & OnlyObjects<S>,
  ): Step<B, 'schema', { readonly input: SchemaInput<S>; readonly args: SchemaOutput<S> }>;
  /** Fixes the output type. */
  implement<T extends OutputUnder<B['outputSchema']>>(
    run: (input: B['args'], context: ToolContext) => T | Promise<T>,
  ): Step<B, 'implement', { readonly output: Awaited<T> }>;
  /** The name people see. */
  displayName(name: string): ToolDraft<B>;
  /** Words to find the tool by. */
  tags(tags: readonly string[]): ToolDraft<B>;
  /** Adds an example; call it once for each. */
  example(example: ToolExample): ToolDraft<B>;
  /** What people say when they need the tool, for search. */
  utterances(utterances: readonly string[]): ToolDraft<B>;
  /** When and how to use the tool, for models. */
  usageNotes(notes: string): ToolDraft<B>;
  /** What the tool cannot do. */
  limitations(limitations: readonly string[]): ToolDraft<B>;
  /** The tool's own version. */
  version(version: string): ToolDraft<B>;
  /** Who wrote the tool. */
  author(author: string): ToolDraft<B>;
  /** Marks the tool as deprecated; it stays callable. */
  deprecated(replacedBy?: string): ToolDraft<B>;
  /** Where the tool came from: a file, server or command line. */
  source(source: string): ToolDraft<B>;
  /** What a call may do: look, change, or destroy. */
  risk(risk: ToolRisk): ToolDraft<B>;
  /** The arguments that are paths, for policies with roots; empty when none is. */
  paths(names: readonly string[]): ToolDraft<B>;
  /** Milliseconds a call may take. */
  timeout(milliseconds: number): ToolDraft<B>;
  /** How many calls may run at once. */
  concurrency(calls: number): ToolDraft<B>;
  /** How often a call that failed for a passing reason is tried again. */
  retries(retries: number): ToolDraft<B>;
  /** Characters of text that a result may have. */
  maxOutput(characters: number): ToolDraft<B>;
  /** Bytes of pictures, sounds and files that a result may have. */
  maxMedia(bytes: number): ToolDraft<B>;
  /** Leaves the tool out of lists until it is searched for. */
  deferLoading(defer?: boolean): ToolDraft<B>;
  /** What the tool gives back; `implement` is held to it. */
  outputSchema<const O extends ToolSchema>(
    schema: O & OnlyObjects<O> & ([B['output']] extends [OutputUnder<O>] ? unknown : OtherOutput),
  ): Step<B, never, { readonly outputSchema: O }>;
  /** Checks everything and makes the tool; the error says which step is missing. */
  readonly build: [B['missing']] extends [never]
    ? () => Tool<B['input'], B['output'], B['name']>
    : CallFirst<B['missing']>;
}

type OtherOutput = 'implement() returns something else than this schema says';

/** What is known before the first step: an output that fits every schema, as there is none yet. */
export interface NothingYet extends DraftTypes {
  readonly output: never;
  readonly outputSchema: undefined;
}

interface DraftParts {
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
export function createTool(): ToolDraft<NothingYet> {
  return toDraft({ metadata: {} });
}

function toDraft<B extends DraftTypes>(draft: DraftParts): ToolDraft<B> {
  // Each step fixes types that only the compiler sees: at run time a draft is its parts and the steps.
  const next = (changes: Partial<DraftParts>): never => toDraft({ ...draft, ...changes }) as never;
  const set = (metadata: Partial<ToolMetadata>): never => next({ metadata: { ...draft.metadata, ...metadata } });
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
    maxMedia: (maxMedia) => set({ maxMedia }),
    paths: (paths) => set({ paths }),
    deferLoading: (deferLoading = true) => set({ deferLoading }),
    outputSchema: (outputSchema) => next({ outputSchema }),
    schema: (schema) => next({ schema }),
    implement: (run) => next({ run }),
    build: (() => buildTool(draft)) as never,
  };
}

function buildTool(draft: DraftParts): Tool {
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
