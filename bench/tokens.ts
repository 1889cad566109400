// Measures the cost of tools in a prompt: every definition, or only the meta-tools that find the others.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { loadBuilt } from './load-built.ts';
import type { ToolRegistry as Registry } from '../src/index.ts';
import { atMost, publish, type Table } from './report.ts';

const { createDiscoveryTools, createTokenLedger, defineTool, ToolIndex, ToolRegistry } = await loadBuilt('index');

const SIZES = [10, 100, 1000];
const FORMATS = ['openai', 'anthropic', 'mcp'] as const;
const NAMES = { openai: 'OpenAI', anthropic: 'Anthropic', mcp: 'MCP' };
const VERBS = ['find', 'create', 'update', 'delete', 'list', 'export', 'archive', 'share', 'count', 'compare'];
const THINGS = [
  'invoice',
  'customer',
  'ticket',
  'commit',
  'container',
  'calendar event',
  'document',
  'message',
  'order',
  'user',
];
const PLACES = [
  'billing',
  'support',
  'shop',
  'warehouse',
  'archive',
  'mailbox',
  'cluster',
  'repository',
  'wiki',
  'ledger',
];

const ledgers = SIZES.map((size) => ({ size, ledger: createTokenLedger(makeBoard(size), { tokenizer: countTokens }) }));
const large = makeBoard(1000);
large.registerMany(createDiscoveryTools({ registry: large, index: ToolIndex.from(large) }));
const answers = await Promise.all(
  [
    { what: 'overview', input: {} },
    { what: 'ten hits, brief', input: { query: 'find an unpaid invoice of a customer' } },
    {
      what: 'three queries, five hits each',
      input: { queries: ['find a ticket', 'list messages', 'archive a document'] },
    },
    { what: 'one hit, full', input: { query: 'compare two commits', detail: 'full', limit: 1 } },
  ].map(async ({ what, input }) => [
    what,
    countTokens((await large.call('search_tools', input)).text).toLocaleString('en-US'),
  ]),
);
const thousand = ledgers.at(-1)?.ledger;

publish({
  name: 'tokens',
  tables: [
    {
      caption: 'Tokens (o200k_base) before the model has said a word, on generated boards:',
      head: ['Tools', ...FORMATS.flatMap((format) => [`classic, ${NAMES[format]}`, `discovery, ${NAMES[format]}`])],
      rows: ledgers.map(({ size, ledger }) => [
        size.toLocaleString('en-US'),
        ...FORMATS.flatMap((format) =>
          ledger.modes.slice(0, 2).map(({ tokens }) => tokens[format].toLocaleString('en-US')),
        ),
      ]),
    } satisfies Table,
    { caption: 'What search_tools answers on the largest of them:', head: ['Answer', 'tokens'], rows: answers },
  ],
  bars: FORMATS.map((format) =>
    atMost(
      `${NAMES[format]}: discovery on 1,000 tools costs at most 700 tokens up front`,
      thousand?.modes[1]?.tokens[format] ?? Infinity,
      { limit: 700, unit: 'tokens' },
    ),
  ),
});

function makeBoard(size: number): Registry {
  const tools = Array.from({ length: size }, (_, number) => {
    const [verb, thing, place] = [VERBS, THINGS, PLACES].map(
      (words, digit) => words[Math.floor(number / 10 ** digit) % 10],
    );
    return defineTool({
      name: `${place}.${verb}_${thing?.replace(' ', '_')}`,
      description: `${verb?.replace(/^./, (letter) => letter.toUpperCase())} a ${thing} of the ${place}. Answers with its id, its state and when it was last changed.`,
      source: place ?? '',
      category: thing ?? '',
      schema: {
        type: 'object',
        properties: {
          id: { type: 'string', description: `The id of the ${thing}` },
          text: { type: 'string', description: 'A text that it contains' },
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many at most' },
          order: { type: 'string', enum: ['newest', 'oldest'], default: 'newest' },
        },
        required: ['id'],
      },
      execute: () => 'done',
    });
  });
  return new ToolRegistry().registerMany(tools);
}
