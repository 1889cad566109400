import { findMetadataFaults, refuseTool } from '../check-metadata.ts';
import type { ToolCategory, ToolExample, ToolMetadata, ToolRisk } from '../tool-metadata.ts';
import type { ToolContext } from '../tool-context.ts';
import type { OnlyObjects, OutputUnder, SchemaInput, SchemaOutput, ToolSchema } from '../schema-types.ts';
import type { Tool } from '../tool.ts';
import { makeTool } from './make-tool.ts';

/** The types fixed by the steps so far, and the missing steps. */
export interface DraftTypes {
  readonly name: string;
  readonly input: unknown;
  readonly args: unknown;
  readonly output: unknown;
  readonly outputSchema: ToolSchema | undefined;
  readonly missing: 'name' | 'description' | 'schema' | 'implement';
}

/** The draft after a step, with the types that the step fixed. */
type Step<B extends DraftTypes, K, T = unknown> = {
  readonly [P in keyof DraftTypes]: P extends 'missing' ? Exclude<B[P], K> : P extends keyof T ? T[P] : B[P];
} extends infer Next extends DraftTypes
  ? ToolDraft<Next>
  : never;

/** Takes the place of `build()` while steps are missing. */
export interface CallFirst<Missing extends string> {
  readonly missing: Missing;
}

/** Defines a tool step by step. Each step returns a new draft, so several tools can share a beginning. */
export interface ToolDraft<B extends DraftTypes = DraftTypes> {
  /** The tool's name: 1 to 128 of `A-Z a-z 0-9 _ . -`. */
  name<const N extends string>(name: N): Step<B, 'name', { readonly name: N }>;
  /** Describes the tool for models and people. */
  description(description: string): Step<B, 'description'>;
  /** Sets the group of the tool. */
  category(category: ToolCategory): ToolDraft<B>;
  /** Fixes the input type. */
  schema<const S extends ToolSchema>(
    schema: S & OnlyObjects<S>,
  ): Step<B, 'schema', { readonly input: SchemaInput<S>; readonly args: SchemaOutput<S> }>;
  /** Fixes the output type. */
  implement<T extends OutputUnder<B['outputSchema']>>(
    run: (input: B['args'], context: ToolContext) => T | Promise<T>,
  ): Step<B, 'implement', { readonly output: Awaited<T> }>;
  /** Sets the name for people. */
  displayName(name: string): ToolDraft<B>;
  /** Adds search terms. */
  tags(tags: readonly string[]): ToolDraft<B>;
  /** Adds an example; call it once for each. */
  example(example: ToolExample): ToolDraft<B>;
  /** Sets requests that people would phrase for this tool, for search. */
  utterances(utterances: readonly string[]): ToolDraft<B>;
  /** Tells models when and how to use the tool. */
  usageNotes(notes: string): ToolDraft<B>;
  /** Lists things that the tool cannot do. */
  limitations(limitations: readonly string[]): ToolDraft<B>;
  /** Sets the version of the tool. */
  version(version: string): ToolDraft<B>;
  /** Sets the author of the tool. */
  author(author: string): ToolDraft<B>;
  /** Marks the tool as deprecated. It stays callable. */
  deprecated(replacedBy?: string): ToolDraft<B>;
  /** Sets the origin of the tool: a file, server or command line. */
  source(source: string): ToolDraft<B>;
  /** Sets the effect of a call: read, write, or destructive. */
  risk(risk: ToolRisk): ToolDraft<B>;
  /** Names the arguments that are paths, for policies with roots. An empty list declares that there are none. */
  paths(names: readonly string[]): ToolDraft<B>;
  /** Sets the timeout of a call in milliseconds. */
  timeout(milliseconds: number): ToolDraft<B>;
  /** Limits concurrent calls. */
  concurrency(calls: number): ToolDraft<B>;
  /** Sets the number of retries after a temporary failure. */
  retries(retries: number): ToolDraft<B>;
  /** Limits the characters of text in a result. */
  maxOutput(characters: number): ToolDraft<B>;
  /** Limits the bytes of images, audio and files in a result. */
  maxMedia(bytes: number): ToolDraft<B>;
  /** Hides the tool from lists until a search finds it. */
  deferLoading(defer?: boolean): ToolDraft<B>;
  /** Sets the schema of the output, which `implement` must satisfy. */
  outputSchema<const O extends ToolSchema>(
    schema: O & OnlyObjects<O> & ([B['output']] extends [OutputUnder<O>] ? unknown : OtherOutput),
  ): Step<B, never, { readonly outputSchema: O }>;
  /** Checks everything and creates the tool. The error names a missing step. */
  readonly build: [B['missing']] extends [never]
    ? () => Tool<B['input'], B['output'], B['name']>
    : CallFirst<B['missing']>;
}

type OtherOutput = 'implement() returns something else than this schema says';

/** The types before the first step. The output fits every schema, because there is none yet. */
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
 * Defines a tool step by step.
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
  // The steps fix types only for the compiler; at run time a draft has its parts and the steps.
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
