import {
  createTokenLedger,
  type FormatTokens,
  type ModeTokens,
  TOKENIZERS,
  type TokenLedger,
} from '../../../discovery/tokens/token-ledger.ts';
import { defineCommand, FILES_ARGUMENT, valueOption, WAIT_OPTION } from '../../../cli/shared/command.ts';
import { readingBoard } from '../../../cli/shared/board/use-board.ts';
import { parseChoice, parseCount } from '../../../cli/shared/parse-values.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { drawBars } from './draw-bars.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';

const DEFAULT_TOP = 10;

type PromptFormat = keyof FormatTokens;

const PROMPT_FORMATS: readonly PromptFormat[] = ['openai', 'anthropic', 'mcp'];

const NAMES: Readonly<Record<PromptFormat, string>> = { openai: 'OpenAI', anthropic: 'Anthropic', mcp: 'MCP' };

export const tokens = defineCommand({
  name: 'tokens',
  description:
    'Shows the tokens that the tools cost in a prompt: for each way of listing them, each source and each tool, most expensive first; tab-separated in a pipe.',
  arguments: [FILES_ARGUMENT],
  options: {
    ...WAIT_OPTION,
    tokenizer: valueOption('NAME', `One of: ${TOKENIZERS.join(', ')} (default: estimate)`),
    format: valueOption(
      'FORMAT',
      `The format to count for sources and tools: ${PROMPT_FORMATS.join(', ')} (default: mcp)`,
    ),
    top: valueOption('N', `The number of sources and tools to show (default: ${DEFAULT_TOP})`),
    budget: valueOption('N', 'The token budget of the mode auto (default: 10000)'),
  },
  examples: [
    ['pegboard tokens', 'the tools of this board'],
    ['pegboard tokens git.yaml --tokenizer o200k_base --top 3', 'exact counts for OpenAI; needs gpt-tokenizer'],
  ],
  parse({ values }) {
    const tokenizer = parseChoice(values.tokenizer ?? 'estimate', TOKENIZERS, {
      option: '--tokenizer',
      command: 'tokens',
    });
    const format = parseChoice(values.format ?? 'mcp', PROMPT_FORMATS, { option: '--format', command: 'tokens' });
    const top = parseCount(values.top, { option: '--top', command: 'tokens' }) ?? DEFAULT_TOP;
    const budget = parseCount(values.budget, { option: '--budget', command: 'tokens' });
    return { tokenizer, format, top, budget };
  },
  board: readingBoard,
  run({ parsed: { tokenizer, format, top, budget }, board }) {
    const ledger = createTokenLedger(board, { tokenizer, budget });
    return { data: ledger, view: (style, width) => describeLedger(ledger, { format, top, style, width }) };
  },
});

interface LedgerView {
  readonly format: PromptFormat;
  readonly top: number;
  readonly style: TextStyle;
  readonly width: number;
}

/** Describes token costs in tables with bars; without a terminal, as lines of tab-separated fields. */
function describeLedger(ledger: TokenLedger, view: LedgerView): string[] {
  const { format, top, style, width } = view;
  if (width === Infinity) return toLines(ledger, view).map((line) => line.join('\t'));
  const table = (title: string, rows: readonly { name: string; note: string; tokens: number }[]): string[] => [
    style.bold(title),
    ...drawBars(rows, { width: width - 2, style }).map((line) => `  ${line}`),
    '',
  ];
  const note = `${NAMES[format]} definitions, most expensive first`;
  const how =
    ledger.tokenizer === 'estimate' ? 'estimated; count exactly with --tokenizer o200k_base' : ledger.tokenizer;
  return [
    ...table(
      'In a prompt',
      ledger.modes.flatMap((mode) => modeRows(mode, ledger)),
    ),
    ...table(
      title('Sources', ledger.sources.length, top, note),
      ledger.sources
        .slice(0, top)
        .map(({ name, toolCount, tokens }) => ({ name, note: counted(toolCount, 'tool'), tokens: tokens[format] })),
    ),
    ...table(
      title('Tools', ledger.tools.length, top, note),
      ledger.tools.slice(0, top).map(({ name, source, tokens }) => ({ name, note: source, tokens: tokens[format] })),
    ),
    style.dim(`Tokens: ${how}`),
  ];
}

function modeRows(mode: ModeTokens, { budget }: TokenLedger): { name: string; note: string; tokens: number }[] {
  if (mode.mode === 'auto') {
    const note = `${mode.shows} with a budget of ${budget.toLocaleString('en-US')}`;
    return [{ name: 'auto, MCP', note, tokens: mode.tokens.mcp }];
  }
  return PROMPT_FORMATS.map((format) => ({
    name: `${mode.mode}, ${NAMES[format]}`,
    note: counted(mode.toolCount, 'tool'),
    tokens: mode.tokens[format],
  }));
}

function toLines({ modes, sources, tools }: TokenLedger, { format, top }: LedgerView): (string | number)[][] {
  return [
    ...modes.flatMap(({ mode, toolCount, tokens }) =>
      PROMPT_FORMATS.map((each) => [mode, each, toolCount, tokens[each]]),
    ),
    ...sources.slice(0, top).map(({ name, toolCount, tokens }) => ['source', name, toolCount, tokens[format]]),
    ...tools.slice(0, top).map(({ name, tokens }) => ['tool', name, 1, tokens[format]]),
  ];
}

// oxlint-disable-next-line max-params -- four short texts of one line
function title(what: string, count: number, top: number, note: string): string {
  return `${what} (${count > top ? `${top} of ${count.toLocaleString('en-US')}, ` : ''}${note})`;
}
