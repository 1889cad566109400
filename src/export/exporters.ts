import { anthropic } from './anthropic.ts';
import type { Exporter } from './exporter.ts';
import { gemini } from './gemini.ts';
import { mcp } from './mcp.ts';
import { openAI } from './openai.ts';

/** The built-in exporters, found by their `format`. */
export const builtInExporters: readonly Exporter[] = [openAI, anthropic, gemini, mcp];
