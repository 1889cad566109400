import { ToolError } from '../../tool/tool-error.ts';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import { estimateTokens } from './estimate-tokens.ts';

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
