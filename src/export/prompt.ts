import { isForModels } from '../tool/app-pages.ts';
import { describeVariants } from '../tool/parameters/describe-parameters.ts';
import { revealHidden } from '../tool/texts/reveal-hidden.ts';
import { wordsForModel } from '../tool/server-words.ts';
import type { ToolCategory, ToolExample, ToolMetadata } from '../tool/tool-metadata.ts';
import type { Tool } from '../tool/tool.ts';
import { listTools, type ToolSource } from './exporter.ts';

/** Options of `generatePrompt`. */
export interface PromptOptions {
  /** Shows usage examples. Default: false. */
  readonly includeExamples?: boolean;
  /** Shows usage notes. Default: false. */
  readonly includeNotes?: boolean;
  /** Shows known limitations. Default: false. */
  readonly includeLimitations?: boolean;
  /** Writes a heading for each category. Default: one list. */
  readonly groupByCategory?: boolean;
  /** Includes only tools of these categories. */
  readonly categories?: readonly ToolCategory[];
  /** The most examples for each tool. */
  readonly maxExamplesPerTool?: number;
}

/** The parts of a tool that a prompt shows. */
export type PromptTool = Pick<Tool, 'metadata' | 'inputSchema'>;

/**
 * Describes the tools of a list, a registry or a board for a system prompt: name, description and parameters, and the parts that
 * the options add.
 * @example
 * const system = generatePrompt(registry);
 */
export function generatePrompt(tools: ToolSource<PromptTool>, options: PromptOptions = {}): string {
  const all = listTools(tools).filter(isForModels).map(wordsForModel);
  const { categories } = options;
  const shown =
    categories === undefined || categories.length === 0
      ? all
      : all.filter(({ metadata }) => metadata.category !== undefined && categories.includes(metadata.category));
  if (shown.length === 0) return 'No tools available.';
  if (options.groupByCategory !== true) return `Available Tools:\n\n${formatTools(shown, options)}`;
  const groups = Map.groupBy(shown, ({ metadata }) => metadata.category ?? 'other');
  const sections = [...groups].map(([category, members]) => `${heading(category)}:\n${formatTools(members, options)}`);
  return `Available Tools:\n\n${sections.join('\n\n')}`;
}

/** `file-system` → `FILE SYSTEM TOOLS`. */
function heading(category: string): string {
  return `${category.toUpperCase().replaceAll(/[-_]+/g, ' ')} TOOLS`;
}

function formatTools(tools: readonly PromptTool[], options: PromptOptions): string {
  // People and the model must see the same text, without hidden characters.
  return revealHidden(tools.map((tool) => formatTool(tool, options).join('\n')).join('\n\n'));
}

function formatTool(tool: PromptTool, options: PromptOptions): string[] {
  const { metadata } = tool;
  const examples = (metadata.examples ?? []).slice(0, options.maxExamplesPerTool ?? Infinity);
  return [
    `- ${metadata.name}: ${describe(metadata)}`,
    ...formatParameters([...new Set(describeVariants(tool.inputSchema))]),
    ...(options.includeExamples === true ? examples.flatMap(formatExample) : []),
    ...(options.includeNotes === true && metadata.usageNotes !== undefined ? [`  Notes: ${metadata.usageNotes}`] : []),
    ...(options.includeLimitations === true && metadata.limitations !== undefined && metadata.limitations.length > 0
      ? ['  Limitations:', ...metadata.limitations.map((limitation) => `    - ${limitation}`)]
      : []),
  ];
}

/** Writes one line, or one for each variant of a union. */
function formatParameters(variants: readonly string[]): string[] {
  const [only = '', ...others] = variants;
  if (others.length === 0) return only === '' ? [] : [`  Parameters: ${only}`];
  return ['  Parameters, one of these sets:', ...variants.map((variant) => `    - ${variant || 'none'}`)];
}

function describe(metadata: ToolMetadata): string {
  if (metadata.deprecated !== true) return metadata.description;
  const instead = metadata.replacedBy === undefined ? '' : `, use ${metadata.replacedBy} instead`;
  return `${metadata.description} (deprecated${instead})`;
}

function formatExample(example: ToolExample): string[] {
  return [
    `  Example: ${example.description}`,
    `    Input: ${formatInline(example.input)}`,
    ...(example.explanation === undefined ? [] : [`    ${example.explanation}`]),
  ];
}

/** Formats JSON on one line with spaces: `{ "path": "./a", "tags": ["x"] }`. */
function formatInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatInline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${formatInline(item)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
