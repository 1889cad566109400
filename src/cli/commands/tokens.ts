import { createTokenLedger } from '../../discovery/tokens/token-ledger.ts';
import { isTokenizerName, TOKENIZERS, type TokenizerName } from '../../discovery/tokens/tokenizer.ts';
import { printJson } from '../cli-context.ts';
import { defineCommand, FILE_OPTION, FILES_ARGUMENT } from '../command-line/command.ts';
import { isPromptFormat, PROMPT_FORMATS, printLedger, type PromptFormat } from '../print/print-ledger.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { useBoard } from '../board/use-board.ts';

const DEFAULT_TOP = 10;

/** `pegboard tokens`: what tools cost in a prompt. */
export const tokens = defineCommand({
  name: 'tokens',
  description:
    'Shows what each way of listing the tools, each source and each tool costs in a prompt, dearest first; tab-separated when piped.',
  arguments: [FILES_ARGUMENT],
  options: {
    ...FILE_OPTION,
    tokenizer: { type: 'string', value: 'NAME', description: `One of: ${TOKENIZERS.join(', ')} (default: estimate)` },
    format: {
      type: 'string',
      value: 'FORMAT',
      description: `Whose definitions are counted for sources and tools: ${PROMPT_FORMATS.join(', ')} (default: mcp)`,
    },
    top: { type: 'string', value: 'N', description: `How many sources and tools to show (default: ${DEFAULT_TOP})` },
    budget: { type: 'string', value: 'N', description: 'Tokens that auto may spend on a whole list (default: 10000)' },
  },
  examples: [
    ['pegboard tokens', 'the board of this folder'],
    ['pegboard tokens git.yaml --tokenizer o200k_base --top 3', 'counted as OpenAI does; needs gpt-tokenizer'],
  ],
  run: ({ values, positionals, json, context }) => {
    const tokenizer = readTokenizer(values.tokenizer ?? 'estimate');
    const format = readFormat(values.format ?? 'mcp');
    const top = readCount('--top', values.top) ?? DEFAULT_TOP;
    const budget = readCount('--budget', values.budget);
    return useBoard([...positionals, ...values.file], { context }, (board) => {
      const ledger = createTokenLedger(board, { tokenizer, budget });
      if (json) printJson(context, ledger);
      else printLedger(ledger, { format, top }, context);
      return 0;
    });
  },
});

function readTokenizer(name: string): TokenizerName {
  if (isTokenizerName(name)) return name;
  throw new UsageError(`Unknown tokenizer "${name}". Use one of: ${TOKENIZERS.join(', ')}.`);
}

function readFormat(name: string): PromptFormat {
  if (isPromptFormat(name)) return name;
  throw new UsageError(`Unknown format "${name}". Use one of: ${PROMPT_FORMATS.join(', ')}.`);
}

function readCount(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new UsageError(`${option} takes a whole number, 0 or more; got "${value}".`);
}
