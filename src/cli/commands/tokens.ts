import { createTokenLedger } from '../../discovery/tokens/token-ledger.ts';
import { TOKENIZERS } from '../../discovery/tokens/tokenizer.ts';
import { defineCommand, FILE_OPTION, FILES_ARGUMENT, WAIT_OPTION } from '../command-line/command.ts';
import { describeLedger, PROMPT_FORMATS } from '../print/describe-ledger.ts';
import { parseChoice, parseCount } from '../command-line/parse-values.ts';
import { readingWith, useBoard } from '../board/use-board.ts';

const DEFAULT_TOP = 10;

export const tokens = defineCommand({
  name: 'tokens',
  description:
    'Shows the tokens that the tools cost in a prompt: for each way of listing them, each source and each tool, most expensive first; tab-separated in a pipe.',
  arguments: [FILES_ARGUMENT],
  options: {
    ...FILE_OPTION,
    ...WAIT_OPTION,
    tokenizer: { type: 'string', value: 'NAME', description: `One of: ${TOKENIZERS.join(', ')} (default: estimate)` },
    format: {
      type: 'string',
      value: 'FORMAT',
      description: `The format to count for sources and tools: ${PROMPT_FORMATS.join(', ')} (default: mcp)`,
    },
    top: {
      type: 'string',
      value: 'N',
      description: `The number of sources and tools to show (default: ${DEFAULT_TOP})`,
    },
    budget: { type: 'string', value: 'N', description: 'The token budget of the mode auto (default: 10000)' },
  },
  examples: [
    ['pegboard tokens', 'the tools of this board'],
    ['pegboard tokens git.yaml --tokenizer o200k_base --top 3', 'exact counts for OpenAI; needs gpt-tokenizer'],
  ],
  run: ({ values, positionals, context }) => {
    const tokenizer = parseChoice(values.tokenizer ?? 'estimate', TOKENIZERS, {
      option: '--tokenizer',
      command: 'tokens',
    });
    const format = parseChoice(values.format ?? 'mcp', PROMPT_FORMATS, { option: '--format', command: 'tokens' });
    const top = parseCount(values.top, { option: '--top', command: 'tokens' }) ?? DEFAULT_TOP;
    const budget = parseCount(values.budget, { option: '--budget', command: 'tokens' });
    return useBoard([...positionals, ...values.file], readingWith(values.wait, context), (board) => {
      const ledger = createTokenLedger(board, { tokenizer, budget });
      return { data: ledger, view: (style, width) => describeLedger(ledger, { format, top, style, width }) };
    });
  },
});
