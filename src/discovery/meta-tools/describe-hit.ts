import { isPlainObject } from '../../core/json.ts';
import type { Tool } from '../../core/tool.ts';
import { readInputSchema } from '../indexed-tool.ts';
import { estimateTokens } from '../tokens/estimate-tokens.ts';
import { listProperties } from './list-properties.ts';
import { flatten, shortenText } from './shorten-text.ts';
import { writeBriefSignature, writeSignature } from './write-signature.ts';

/** How much of a tool is told: its name, one line, or all. */
export type HitDetail = 'names' | 'brief' | 'full';

/** How the parameters are told at `full`: as a signature, or as JSON Schema. */
export type SchemaForm = 'signature' | 'json';

/** Estimated tokens of a brief line, and of its signature; the rest is for the description. */
const BRIEF_TOKENS = 50;
const SIGNATURE_TOKENS = 32;
const LEAST_DESCRIPTION = 8;

/** A tool in one line of fewer than 60 tokens: `git_log(path: string, limit?: integer = 20) — Shows the commit history`. */
export function describeBriefly(tool: Tool): string {
  const { name, description, risk, deprecated, replacedBy } = tool.metadata;
  const room = Math.max(SIGNATURE_TOKENS, estimateTokens(name) + LEAST_DESCRIPTION);
  const signature = writeBriefSignature(tool, room);
  const marks = [
    ...(risk === 'destructive' ? [' [destructive]'] : []),
    ...(deprecated === true ? [replacedBy === undefined ? ' [deprecated]' : ` [use ${replacedBy}]`] : []),
  ].join('');
  const left = BRIEF_TOKENS - estimateTokens(signature) - estimateTokens(marks);
  const text = shortenText(description, Math.max(LEAST_DESCRIPTION, left));
  return `${signature}${marks}${text === '' ? '' : ` — ${text}`}`;
}

/** A tool with all a caller can use: whole description, signature or schema, parameters, risk, notes. */
export function describeFully(tool: Tool, form: SchemaForm): string {
  const { metadata } = tool;
  const { risk, source, category, tags = [], usageNotes, limitations = [], examples = [], deprecated } = metadata;
  const [example] = examples;
  const facts = [
    ...(risk === undefined ? [] : [`risk: ${risk}`]),
    ...(source === undefined ? [] : [`source: ${source}`]),
    ...(category === undefined ? [] : [`category: ${category}`]),
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(', ')}`]),
  ];
  return [
    form === 'json' ? metadata.name : writeSignature(tool),
    metadata.description.trim(),
    ...(form === 'json' ? [JSON.stringify(readInputSchema(tool))] : describeParameters(tool)),
    ...(facts.length === 0 ? [] : [facts.join('; ')]),
    ...(deprecated === true
      ? [`deprecated${metadata.replacedBy === undefined ? '' : `: use ${metadata.replacedBy}`}`]
      : []),
    ...(usageNotes === undefined ? [] : [`notes: ${usageNotes.trim()}`]),
    ...(limitations.length === 0 ? [] : [`limits: ${limitations.join('; ')}`]),
    ...(example === undefined ? [] : [`example: ${JSON.stringify(example.input)} — ${flatten(example.description)}`]),
  ].join('\n');
}

/** `- limit: How many commits (1 to 100)`, for each parameter of which there is something to say. */
function describeParameters(tool: Tool): string[] {
  const schema = readInputSchema(tool);
  return listProperties(schema, schema).flatMap(({ name, schema: property }) => {
    if (!isPlainObject(property)) return [];
    const { description } = property;
    const said = typeof description === 'string' ? flatten(description) : '';
    const limits = describeLimits(property);
    return said === '' && limits === ''
      ? []
      : [`- ${name}: ${[said, ...(limits === '' ? [] : [`(${limits})`])].filter((text) => text !== '').join(' ')}`];
  });
}

function describeLimits(schema: Record<string, unknown>): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, format, pattern } = schema;
  return [
    ...range(minimum, maximum, ''),
    ...(exclusiveMinimum === undefined ? [] : [`above ${String(exclusiveMinimum)}`]),
    ...(exclusiveMaximum === undefined ? [] : [`below ${String(exclusiveMaximum)}`]),
    ...range(schema['minLength'], schema['maxLength'], ' characters'),
    ...range(schema['minItems'], schema['maxItems'], ' items'),
    ...(typeof format === 'string' ? [format] : []),
    ...(typeof pattern === 'string' ? [`matches ${pattern}`] : []),
  ].join(', ');
}

function range(least: unknown, most: unknown, unit: string): string[] {
  if (typeof least === 'number' && typeof most === 'number') return [`${least} to ${most}${unit}`];
  if (typeof least === 'number') return [`at least ${least}${unit}`];
  return typeof most === 'number' ? [`at most ${most}${unit}`] : [];
}
