import { isPlainObject } from '../../tool/json.ts';
import { sourceOf } from '../../tool/tool-metadata.ts';
import { isDiscoveryTool } from '../../tool/tool-marks.ts';
import { runAtOnce, runInTurns } from '../../tool/run-in-turns.ts';
import type { Tool } from '../../tool/tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { type BoardLike, type BoardParts, toBoardParts } from '../board-like.ts';
import { createDiscoveryTools } from '../meta-tools/create-discovery-tools.ts';
import { ToolIndex } from '../tool-index.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { toAnthropicTools } from '../../export/anthropic.ts';
import { toMcpTools } from '../../export/mcp.ts';
import { toOpenAITools } from '../../export/openai.ts';

/** The cost of a tool's definition. */
export interface ToolTokens {
  readonly name: string;
  readonly source: string;
  readonly tokens: FormatTokens;
}

/** The cost of a source's tools. */
export interface SourceTokens {
  readonly name: string;
  readonly toolCount: number;
  readonly tokens: FormatTokens;
}

/** The cost of a mode of listing tools to a model. */
export interface ModeTokens {
  /** Every tool, only the discovery and pinned tools, or the one of both that fits the budget. */
  readonly mode: 'classic' | 'discovery' | 'auto';
  /** The list in use: `auto` is classic if that list, in MCP's format, fits the budget. */
  readonly shows: 'classic' | 'discovery';
  readonly toolCount: number;
  readonly tokens: FormatTokens;
}

/** The cost of tools in a prompt, by tool, source and mode. */
export interface TokenLedger {
  /** The tokenizer's name; `custom` for a function. */
  readonly tokenizer: string;
  /** Tokens that `auto` may spend on a whole list. */
  readonly budget: number;
  /** Most expensive first. */
  readonly tools: readonly ToolTokens[];
  /** Most expensive first. */
  readonly sources: readonly SourceTokens[];
  readonly modes: readonly ModeTokens[];
}

/** Options of a token ledger. */
export interface TokenLedgerOptions {
  /** A named tokenizer, or a function that counts. Default: the estimate. */
  readonly tokenizer?: TokenizerName | TokenCounter | undefined;
  /** Tokens that `auto` may spend on a whole list. Default: `serve.token_budget` of a board's files, or 10,000. */
  readonly budget?: number | undefined;
  /** Names of tools that are listed in every mode. Default: the board's. */
  readonly pinned?: readonly string[] | undefined;
}

/** A list of tools, a registry or a board. */
export type LedgerSource = Iterable<Tool> | BoardLike;

const DEFAULT_BUDGET = 10_000;

/**
 * Adds up the cost of tools in a prompt: the JSON of their definitions for OpenAI, Anthropic and MCP.
 *
 * @example
 * const { modes } = createTokenLedger(registry, { tokenizer: 'o200k_base' });
 */
export function createTokenLedger(source: LedgerSource, options: TokenLedgerOptions = {}): TokenLedger {
  return runAtOnce(addUp(source, options));
}

/** Like `createTokenLedger`, without blocking the event loop: counting a large board takes a while. */
export function createTokenLedgerInTurns(source: LedgerSource, options: TokenLedgerOptions = {}): Promise<TokenLedger> {
  return runInTurns(addUp(source, options));
}

function* addUp(source: LedgerSource, options: TokenLedgerOptions): Generator<void, TokenLedger> {
  const { registry, pinned = [], files = [] } = toBoard(source);
  const { tokenizer = 'estimate' } = options;
  const count = typeof tokenizer === 'function' ? tokenizer : loadTokenizer(tokenizer);
  const budget = options.budget ?? readBudget(files) ?? DEFAULT_BUDGET;
  const listed = registry.getAll().filter((tool) => !isDiscoveryTool(tool));
  const costs: Cost[] = [];
  for (const tool of listed) {
    costs.push({ tool, tokens: countDefinitions(tool, count) });
    yield;
  }
  const kept = new Set(options.pinned ?? pinned);
  const pins = costs.filter(({ tool }) => kept.has(tool.metadata.name));
  const finders = createDiscoveryTools({ registry, index: ToolIndex.from([]) });
  const classic = toMode('classic', costs);
  const discovery = toMode('discovery', [
    ...finders.map((tool) => ({ tool, tokens: countDefinitions(tool, count) })),
    ...pins,
  ]);
  return {
    tokenizer: typeof tokenizer === 'function' ? 'custom' : tokenizer,
    budget,
    tools: costs
      .map(({ tool: { metadata }, tokens }) => ({ name: metadata.name, source: sourceOf(metadata), tokens }))
      .toSorted((a, b) => b.tokens.mcp - a.tokens.mcp),
    sources: sumSources(costs),
    modes: [classic, discovery, { ...(classic.tokens.mcp <= budget ? classic : discovery), mode: 'auto' }],
  };
}

interface Cost {
  readonly tool: Tool;
  readonly tokens: FormatTokens;
}

function toMode(mode: 'classic' | 'discovery', costs: readonly Cost[]): ModeTokens {
  return { mode, shows: mode, toolCount: costs.length, tokens: sumTokens(costs.map(({ tokens }) => tokens)) };
}

function sumSources(costs: readonly Cost[]): SourceTokens[] {
  const groups = Map.groupBy(costs, ({ tool }) => sourceOf(tool.metadata));
  return [...groups]
    .map(([name, members]) => ({
      name,
      toolCount: members.length,
      tokens: sumTokens(members.map(({ tokens }) => tokens)),
    }))
    .toSorted((a, b) => b.tokens.mcp - a.tokens.mcp);
}

function toBoard(source: LedgerSource): BoardParts {
  if (Symbol.iterator in source) return { registry: new ToolRegistry().registerMany(source, { override: true }) };
  return toBoardParts(source, 'createTokenLedger');
}

function readBudget(files: NonNullable<BoardParts['files']>): number | undefined {
  const budgets = files
    .map(({ sections }) => sections?.['serve'])
    .flatMap((serve) =>
      isPlainObject(serve) && typeof serve['token_budget'] === 'number' ? serve['token_budget'] : [],
    );
  return budgets.at(-1);
}

/** Counts the tokens of a text. */
export type TokenCounter = (text: string) => number;

/** The encodings of gpt-tokenizer, and the estimate, which needs no package. */
export const TOKENIZERS = ['estimate', 'o200k_base', 'o200k_harmony', 'cl100k_base', 'p50k_base', 'r50k_base'] as const;

/** The name of a tokenizer. */
export type TokenizerName = (typeof TOKENIZERS)[number];

/** Returns the counter of a tokenizer. All but the estimate need the package gpt-tokenizer; the error has the install command. */
export function loadTokenizer(name: TokenizerName): TokenCounter {
  if (name === 'estimate') return estimateTokens;
  if (!TOKENIZERS.includes(name)) {
    const reason = `must be one of: ${TOKENIZERS.join(', ')}`;
    const message = `Unknown tokenizer ${JSON.stringify(name)}. Use one of: ${TOKENIZERS.join(', ')}.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'tokenizer', reason });
  }
  const module = loadPeer(`gpt-tokenizer/encoding/${name}`, `The tokenizer ${name}`);
  if (typeof module === 'object' && module !== null && 'countTokens' in module) {
    const { countTokens } = module;
    // Texts may contain the tokenizer's special tokens; here they are text.
    if (typeof countTokens === 'function') return (text) => Number(countTokens(text, { disallowedSpecial: new Set() }));
  }
  throw new Error(`The tokenizer ${name} needs gpt-tokenizer 3 or newer. Install it: npm install gpt-tokenizer`);
}

/** The tokens of tool definitions in one format. */
export interface FormatTokens {
  readonly openai: number;
  readonly anthropic: number;
  readonly mcp: number;
}

/**
 * Counts the tokens of a tool's definition in each format: its JSON, as it is sent. A tool that a format cannot
 * represent costs nothing there.
 */
export function countDefinitions(tool: Tool, count: TokenCounter): FormatTokens {
  return {
    openai: countEach(() => toOpenAITools([tool]).tools, count),
    anthropic: countEach(() => toAnthropicTools([tool]).tools, count),
    mcp: countEach(() => toMcpTools([tool]).tools, count),
  };
}

function sumTokens(tokens: readonly FormatTokens[]): FormatTokens {
  const sum = (format: keyof FormatTokens): number => tokens.reduce((total, one) => total + one[format], 0);
  return { openai: sum('openai'), anthropic: sum('anthropic'), mcp: sum('mcp') };
}

function countEach(convert: () => readonly unknown[], count: TokenCounter): number {
  return convert().reduce<number>((total, definition) => total + count(JSON.stringify(definition)), 0);
}
