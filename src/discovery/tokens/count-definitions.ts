import type { Tool } from '../../tool/tool.ts';
import { toAnthropicTools } from '../../export/anthropic.ts';
import { toMcpTools } from '../../export/mcp.ts';
import { toOpenAITools } from '../../export/openai.ts';
import type { TokenCounter } from './tokenizer.ts';

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

/** Adds up tokens for each format. */
export function sumTokens(tokens: readonly FormatTokens[]): FormatTokens {
  const sum = (format: keyof FormatTokens): number => tokens.reduce((total, one) => total + one[format], 0);
  return { openai: sum('openai'), anthropic: sum('anthropic'), mcp: sum('mcp') };
}

function countEach(convert: () => readonly unknown[], count: TokenCounter): number {
  return convert().reduce<number>((total, definition) => total + count(JSON.stringify(definition)), 0);
}
