import { isPlainObject } from '../../../tool/json.ts';
import { rankParameters } from '../../../tool/parameters/describe-parameters.ts';
import { allParameters, type Parameter, readVariants } from '../../../tool/parameters/read-variants.ts';
import { type ToolWords, wordsForModel } from '../../../tool/server-words.ts';
import { riskFields, showArgumentRisks, showRisk, sourceOf } from '../../../tool/tool-metadata.ts';
import type { Tool } from '../../../tool/tool.ts';
import { readInputSchema } from '../../indexed-tool.ts';
import { estimateTokens } from '../../tokens/estimate-tokens.ts';
import { flatten, shortenText } from './shorten-text.ts';
import { writeBriefSignature, writeParameters, writeSignature } from './write-signature.ts';
import type { GroupCounts, SourceSummary } from '../../group-counter.ts';
import type { DiscoveryIndex } from '../discovery-view.ts';

/** The amount of detail: only the name, one line, or everything. */
type HitDetail = 'names' | 'brief' | 'full';

/** The format of parameters at `full`: a signature, or JSON Schema. */
export type SchemaForm = 'signature' | 'json';

/** Estimated tokens of a brief line, and of its signature; the rest is for the description. */
const BRIEF_TOKENS = 45;
const SIGNATURE_TOKENS = 30;
const LEAST_DESCRIPTION = 6;

interface BriefDescription {
  readonly duplicates?: readonly string[] | undefined;
  readonly wanted?: string | undefined;
  readonly declared?: { readonly text: string; readonly tokens: number } | undefined;
}

/**
 * Describes a tool in one line of fewer than 60 tokens: `git_log(path: string, limit?: integer = 20) — Shows the commit
 * history`.
 *
 * `duplicates` are tools that do the same; the first is named. `wanted` is the query. `declared` replaces the
 * signature, with up to `tokens` of the description.
 */
export function describeBriefly(found: Tool, { duplicates = [], wanted, declared }: BriefDescription = {}): string {
  const tool = wordsForModel(found);
  const { name, description, risk, deprecated, replacedBy } = tool.metadata;
  const room = Math.max(SIGNATURE_TOKENS, estimateTokens(name) + LEAST_DESCRIPTION);
  const signature = declared?.text ?? writeBriefSignature(tool, room, wanted);
  const marks = [
    ...(risk === 'destructive' ? [' [destructive]'] : []),
    ...(duplicates.length === 0 ? [] : [` [same: ${nameFirst(duplicates)}]`]),
    ...(deprecated === true ? [replacedBy === undefined ? ' [deprecated]' : ` [use ${replacedBy}]`] : []),
  ].join('');
  const left = declared?.tokens ?? BRIEF_TOKENS - estimateTokens(signature) - estimateTokens(marks);
  // A very long name leaves no room for a description.
  const text = left < 0 ? '' : shortenText(description, Math.max(LEAST_DESCRIPTION, left));
  return `${signature}${marks}${text === '' ? '' : ` — ${text}`}`;
}

function nameFirst([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** Estimated tokens of the signature of a tool with very many parameters. */
const MANY_SIGNATURE_TOKENS = 120;

export interface FullDescription {
  readonly form: SchemaForm;
  /** Replaces the signature. */
  readonly declared?: string | undefined;
  /** Names of parameters, or words: only these are described. */
  readonly wanted?: readonly string[] | undefined;
}

/**
 * Describes a tool with everything a caller can use: whole description, signature or schema, parameters, risk, notes.
 *
 * If a tool has very many parameters, most are listed only with their types; `wanted` asks for their descriptions.
 */
export function describeFully(found: Tool, { form, declared, wanted = [] }: FullDescription): string {
  const tool = wordsForModel(found);
  const chosen = wanted.length > 0 ? findParameters(tool, wanted) : undefined;
  if (chosen !== undefined && form === 'signature') {
    const lines = describeParameters(tool, chosen);
    return [tool.metadata.name, ...(lines.length > 0 ? lines : [unknownParametersNote(tool, wanted)])].join('\n');
  }
  const isLean = form === 'signature' && declared === undefined && hasManyParameters(tool);
  const { metadata } = tool;
  const { category, tags = [], usageNotes, limitations = [], examples = [], deprecated } = metadata;
  const [example] = examples;
  const facts = [
    `risk: ${[showRisk(metadata), showArgumentRisks(metadata)].filter((text) => text !== '').join(': ')}`,
    `source: ${sourceOf(metadata)}`,
    ...(category === undefined ? [] : [`category: ${category}`]),
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(', ')}`]),
  ];
  return [
    form === 'json' ? metadata.name : (declared ?? writeFitting(tool)),
    metadata.description.trim(),
    ...(form === 'json'
      ? [JSON.stringify(readInputSchema(tool))]
      : isLean
        ? describeSome(tool)
        : describeParameters(tool)),
    ...(facts.length === 0 ? [] : [facts.join('; ')]),
    ...(deprecated === true
      ? [`deprecated${metadata.replacedBy === undefined ? '' : `: use ${metadata.replacedBy}`}`]
      : []),
    ...(usageNotes === undefined ? [] : [`notes: ${usageNotes.trim()}`]),
    ...(limitations.length === 0 ? [] : [`limits: ${limitations.join('; ')}`]),
    ...(example === undefined ? [] : [`example: ${JSON.stringify(example.input)} — ${flatten(example.description)}`]),
  ].join('\n');
}

/** Writes the signature of a tool, in full unless it has very many parameters. */
export function writeFitting(tool: ToolWords): string {
  return hasManyParameters(tool) ? writeBriefSignature(tool, MANY_SIGNATURE_TOKENS) : writeSignature(tool);
}

function describeSome(tool: ToolWords): string[] {
  const chosen = chooseParameters(tool);
  const { name } = tool.metadata;
  return [
    ...describeParameters(tool, chosen),
    `further: ${listFurther(tool, chosen)}`,
    `What they do: describe_tool { "name": "${name}", "arguments": ["…"] }, with their names or a word.`,
  ];
}

function unknownParametersNote({ metadata }: ToolWords, wanted: readonly string[]): string {
  return `No argument has a name or description with ${wanted
    .slice(0, 10)
    .map((word) => `"${word.slice(0, 80)}"`)
    .join(', ')}. All of them: describe_tool { "name": "${metadata.name}" }.`;
}

/** Writes `- limit: How many commits (1 to 100)` for each parameter with a description or limits. */
function describeParameters(tool: ToolWords, chosen?: ReadonlySet<string>): string[] {
  const all = allParameters(readVariants(readInputSchema(tool)));
  return all.flatMap(({ name, schema }) => {
    if (chosen?.has(name) === false) return [];
    // A description that several variants share is written once.
    const { anyOf } = schema;
    const parts: unknown[] = schema['description'] === undefined && Array.isArray(anyOf) ? anyOf : [schema];
    const said = new Set(parts.flatMap((part) => (isPlainObject(part) ? [describePart(part)] : [])));
    const text = [...said].filter((one) => one !== '').join('; or: ');
    return text === '' ? [] : [`- ${name}: ${text}`];
  });
}

function describePart(schema: Record<string, unknown>): string {
  const { description } = schema;
  const said = typeof description === 'string' ? flatten(description) : '';
  const limits = describeLimits(schema);
  return [said, ...(limits === '' ? [] : [`(${limits})`])].filter((text) => text !== '').join(' ');
}

function describeLimits(schema: Record<string, unknown>): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, format, pattern } = schema;
  return [
    ...range(minimum, maximum, ''),
    ...(typeof exclusiveMinimum === 'number' ? [`above ${exclusiveMinimum}`] : []),
    ...(typeof exclusiveMaximum === 'number' ? [`below ${exclusiveMaximum}`] : []),
    ...range(schema['minLength'], schema['maxLength'], ' characters'),
    ...range(schema['minItems'], schema['maxItems'], ' items'),
    ...(typeof format === 'string' ? [format] : []),
    ...(typeof pattern === 'string' ? [`matches ${pattern}`] : []),
  ].join(', ');
}

/** Returns false for the default limits of integers, which are not worth showing. */
function isTelling(bound: unknown): boolean {
  return typeof bound === 'number' && Math.abs(bound) !== Number.MAX_SAFE_INTEGER;
}

function range(given: unknown, above: unknown, unit: string): string[] {
  const least = isTelling(given) ? given : undefined;
  const most = isTelling(above) ? above : undefined;
  if (typeof least === 'number' && typeof most === 'number') return [`${least} to ${most}${unit}`];
  if (typeof least === 'number') return [`at least ${least}${unit}`];
  return typeof most === 'number' ? [`at most ${most}${unit}`] : [];
}

/** With more parameters, a description lists most of them only by type. */
const MANY = 40;
/** Parameters that are still described. */
const SOME = 12;

/** Returns true if a tool has so many parameters that a text with all of them would be mostly irrelevant to a call. */
function hasManyParameters(tool: ToolWords): boolean {
  return parametersOf(tool).length > MANY;
}

function parametersOf(tool: ToolWords): readonly Parameter[] {
  return allParameters(readVariants(readInputSchema(tool)));
}

function findParameters(tool: ToolWords, wanted: readonly string[]): ReadonlySet<string> {
  const words = wanted.map((word) => word.toLowerCase().replaceAll('-', '_').replaceAll(/^_+/g, ''));
  const all = parametersOf(tool);
  const exact = all.filter(({ name }) => words.includes(name.toLowerCase()));
  if (exact.length >= words.length) return new Set(exact.map(({ name }) => name));
  const has = ({ name, schema }: Parameter): boolean => {
    const text = `${name} ${typeof schema['description'] === 'string' ? schema['description'] : ''}`.toLowerCase();
    return words.some((word) => text.includes(word));
  };
  return new Set([...exact, ...all.filter(has)].map(({ name }) => name));
}

/** Selects the parameters to describe if there are very many: required ones, and those a call most likely uses. */
function chooseParameters(tool: ToolWords): ReadonlySet<string> {
  const { required } = readInputSchema(tool);
  const needed = Array.isArray(required) ? required.map(String) : [];
  const likely = rankParameters(parametersOf(tool), { examples: tool.metadata.examples }).map(({ name }) => name);
  return new Set([...needed, ...likely.slice(0, SOME)]);
}

/** Lists every other parameter by type: `boolean: quiet, source; string: since, until`. */
function listFurther(tool: ToolWords, described: ReadonlySet<string>): string {
  const types = new Map<string, string[]>();
  for (const written of writeParameters(readInputSchema(tool), { depth: 1, values: 8 })) {
    const [, name = '', type = ''] = /^([^:?]+)\??: (.*)$/s.exec(written) ?? [];
    if (name !== '' && !described.has(name)) types.set(type, [...(types.get(type) ?? []), name]);
  }
  const lists = [...types].toSorted(([, a], [, b]) => b.length - a.length);
  return lists.map(([type, names]) => `${type}: ${names.join(', ')}`).join('; ');
}

/** Tokens of the description beside a code declaration: for the first hit, and for the others. */
const FIRST_TOKENS = 25;
const OTHER_TOKENS = 7;

/** The presentation of found tools. */
export interface Presentation {
  readonly detail: HitDetail;
  readonly schema: SchemaForm;
  /** Writes a code declaration that replaces the signature. */
  readonly declare?: DeclareTool | undefined;
}

/** Writes the code declaration of a tool: `brief` leaves out deep types, `names` everything but the name. */
export type DeclareTool = (tool: Tool, detail: HitDetail) => string;

export interface FoundTool {
  readonly tool: Tool;
  readonly source: string;
  readonly score?: number;
  /** The query, or the part of it, that it fits best. */
  readonly serves?: string;
  /** Tools of other sources that do the same. */
  readonly duplicates?: readonly string[];
}

/** Writes found tools as text for a model. */
export function writeHits(found: readonly FoundTool[], { detail, schema, declare }: Presentation): string {
  switch (detail) {
    case 'names':
      return found.map(({ tool }) => tool.metadata.name).join(', ');
    case 'brief':
      // The types of less likely hits would be most of the answer.
      return found
        .map(({ tool, duplicates, serves }, place) =>
          describeBriefly(tool, {
            duplicates,
            wanted: serves,
            declared: declare && {
              text: declare(tool, place === 0 ? detail : 'names'),
              tokens: place === 0 ? FIRST_TOKENS : OTHER_TOKENS,
            },
          }),
        )
        .join('\n');
    case 'full':
      return found
        .map(({ tool }) => describeFully(tool, { form: schema, declared: declare?.(tool, detail) }))
        .join('\n\n');
  }
}

/** Returns a found tool as data for programs, with its whole description and signature. */
export function toHitData(
  { tool, source, score, serves, duplicates }: FoundTool,
  declare?: DeclareTool,
): Record<string, unknown> {
  const { name, description, category } = wordsForModel(tool).metadata;
  return {
    name,
    signature: declare?.(tool, 'full') ?? writeSignature(tool),
    description,
    source,
    ...(category === undefined ? {} : { category }),
    ...riskFields(tool.metadata),
    ...(score === undefined ? {} : { score }),
    ...(serves === undefined ? {} : { serves }),
    ...(duplicates === undefined ? {} : { duplicates }),
  };
}

/** The most sources that are listed with descriptions; more are listed by name only. */
const TOLD = 20;
const NAMED = 60;
const GROUPS = 25;

interface Overview extends Readonly<Record<string, unknown>> {
  readonly toolCount: number;
  readonly sources: readonly SourceSummary[];
  readonly categories: Readonly<Record<string, number>>;
  readonly tags: Readonly<Record<string, number>>;
}

/** Writes an overview of the board: sources with counts, categories, tags. Stays short for any board. */
export function writeOverview(
  index: DiscoveryIndex,
  detail: HitDetail,
): { readonly text: string; readonly data: Overview } {
  const sources = index.summary();
  const { category: categories, tag: tags } = index.groups();
  const data = {
    toolCount: index.size,
    sources,
    categories: Object.fromEntries(categories),
    tags: Object.fromEntries(tags),
  };
  if (index.size === 0) return { text: 'The board has no tools.', data };
  const many = sources.length === 1 ? '1 source' : `${sources.length} sources`;
  return {
    text: [
      `${index.size} ${index.size === 1 ? 'tool' : 'tools'} from ${many}:`,
      writeSources(sources, detail),
      ...(categories.length === 0 ? [] : [`Categories: ${writeCounts(categories)}`]),
      ...(tags.length === 0 ? [] : [`Tags: ${writeCounts(tags)}`]),
      'Give a query, or filter by source, category, tag, risk or kind.',
    ].join('\n'),
    data,
  };
}

function writeSources(sources: readonly SourceSummary[], detail: HitDetail): string {
  if (sources.length <= TOLD && detail !== 'names') {
    return sources
      .map(({ name, toolCount, description }) => {
        const about = shortenText(description, 15);
        return `- ${name} (${toolCount})${about === '' || about === name ? '' : ` — ${about}`}`;
      })
      .join('\n');
  }
  return writeCounts(
    sources.map(({ name, toolCount }): [string, number] => [name, toolCount]).toSorted((a, b) => b[1] - a[1]),
    NAMED,
  );
}

/** Writes `vcs 12, files 3, …4 more`. */
function writeCounts(counts: GroupCounts, most = GROUPS): string {
  const shown = counts.slice(0, most).map(([name, number]) => `${name} ${number}`);
  return [...shown, ...(counts.length > most ? [`…${counts.length - most} more`] : [])].join(', ');
}
