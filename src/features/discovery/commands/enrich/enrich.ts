import { relative } from 'node:path';
import type { Agent, TokenPrices } from '../../../../agent/define/agent.ts';
import type { Board } from '../../../../board/board.ts';
import {
  allQueries,
  hashForQueries,
  isLanguage,
  MOST_QUERIES,
  queriesFileOf,
  readQueriesFile,
  writeQueriesFile,
  type WrittenQueries,
} from '../../../../load/queries/queries-file.ts';
import { ToolError } from '../../../../tool/tool-error.ts';
import { askYesOrNo } from '../../../../cli/shared/ask/ask-person.ts';
import { redactorOf } from '../../../../cli/shared/board/use-board.ts';
import { canAsk, type CliContext, printLine } from '../../../../cli/shared/cli-context.ts';
import { type CommandAnswer, defineCommand, flag, listOption, valueOption } from '../../../../cli/shared/command.ts';
import { parseCount } from '../../../../cli/shared/parse-values.ts';
import { UsageError } from '../../../../cli/shared/usage-error.ts';
import { counted } from '../../../../tool/texts/counted.ts';
import { chooseAgent } from '../../../../cli/shared/choose-agent.ts';
import { showProgress } from '../../../../cli/shared/evaluation/describe-evaluation.ts';
import { readQueries } from '../../../../cli/shared/evaluation/read-queries.ts';
import { askQueries, cleanQueries } from './ask-queries.ts';
import { type Gain, measureGain } from './measure-gain.ts';
import {
  estimateRequests,
  findWanted,
  pickTools,
  readKept,
  toRequests,
  type WantedQueries,
  WRITTEN_SPACE,
} from './plan-queries.ts';

const USUAL_COUNT = 10;
/** A drop of nDCG@10 beyond chance. */
const LOSS = 0.005;

export const enrich = defineCommand({
  name: 'enrich',
  description:
    'Lets a model write what people say when they need a tool, and stores it in pegboard.queries, so that searches find the tool. First shows the cost, and before storing shows the gain. Never requests the same queries twice.',
  arguments: [{ name: 'TOOLS', description: 'Only these tools', multiple: true, completes: 'tools' }],
  options: {
    language: listOption('NAME', 'A language to write in; may be given several times (default: English)', {
      short: 'l',
    }),
    count: valueOption('COUNT', 'Queries for each tool and language (default: 10)', { short: 'n' }),
    model: valueOption('PROVIDER/MODEL', 'The model, such as ollama/llama3.2', { short: 'm' }),
    agent: valueOption('NAME', 'Use the model, key and prices of this agent'),
    queries: listOption('FILE', 'Queries with the expected tools, to measure the gain', { short: 'q' }),
    overwrite: flag('Also write new queries for tools that already have some'),
    'allow-regression': flag('Store the queries even if your own queries find less with them'),
    yes: flag('Request and store the queries without asking', 'y'),
  },
  examples: [
    ['pegboard enrich', 'shows the cost, and asks before it continues'],
    ['pegboard enrich -l English -l German --queries queries.yaml --yes', 'two languages, measured on your queries'],
    ['pegboard enrich list_invoices --model ollama/llama3.2 --overwrite', 'one tool, with a local model'],
  ],
  parse({ values, context }) {
    const count = parseCount(values.count, { option: '--count', command: 'enrich' }) ?? USUAL_COUNT;
    const languages = [...new Set(values.language.length === 0 ? ['English'] : values.language)];
    const odd = languages.find((language) => !isLanguage(language));
    if (odd !== undefined)
      throw new UsageError(`--language ${JSON.stringify(odd)} is not the name of a language.`, 'enrich');
    if (count < 1 || count * languages.length > MOST_QUERIES)
      throw new UsageError(`A tool may have 1 to ${MOST_QUERIES} queries in all languages together.`, 'enrich');
    const own = readQueries(values.queries, context.cwd);
    // The AI SDK would write its warnings to stdout, among the answer.
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    return { count, languages, own };
  },
  board: { meet: 'new' },
  async run({ values, positionals, parsed: { count, languages, own }, json, context, board }) {
    const file = queriesFileOf(board.lock.file);
    const written = readWritten(file, context);
    const agent = chooseAgent(board, { name: values.agent, model: values.model }, context);
    const by = nameModel(agent);
    const tools = pickTools(board, positionals);
    const wanted = findWanted({ tools, languages, count, by, written, overwrite: values.overwrite });
    const kept = values.overwrite ? new Map() : await readKept(wanted, board.store.space(WRITTEN_SPACE));
    const requests = toRequests(
      wanted.filter(({ key }) => !kept.has(key)),
      count,
    );
    const tokens = estimateRequests(requests, count);
    const plan = {
      model: by,
      tools: new Set(wanted.map(({ tool }) => tool)).size,
      languages,
      requests: requests.length,
      tokens,
      ...priceOf(tokens, agent.prices),
    };
    const print = (text: string): void => {
      if (!json) printLine(context.stdout, text);
    };
    const end = ({ code, text, data }: Outcome): CommandAnswer => ({
      data: redactorOf(board).data({ ok: code === 0, plan, ...data }),
      ...(code === 0 ? { view: text } : { view: [], notes: text }),
      exitCode: code,
    });
    if (wanted.length === 0)
      return end({ code: 0, text: 'Every tool has queries. Write new ones with --overwrite.', data: { kept: 0 } });
    print(describePlan(plan));
    const may = async (message: string): Promise<boolean> =>
      values.yes || (!json && canAsk(context) && (await askYesOrNo(context, { message })));
    if (requests.length > 0 && !(await may(`Ask ${by} now?`)))
      return end({ code: 0, text: 'No request was made. Continue with --yes.', data: { kept: 0 } });
    const progress = showProgress(context);
    const options = { board, agent, env: context.env, signal: context.signal, onProgress: progress.show };
    const { answers, usage } = await askQueries(requests, options).finally(() => progress.end());
    const names = new Set(board.registry.names());
    const redactor = redactorOf(board);
    const clean = cleanQueries(new Map([...kept, ...answers]), { count, names, redactor });
    const next = addWritten(written, wanted, { queries: clean.queries, by });
    const gains = await measureGain({
      board,
      before: toQueries(written, board),
      after: toQueries(next, board),
      own,
      signal: context.signal,
    });
    const left = Object.fromEntries(clean.left);
    const added = [...clean.queries.values()].reduce((sum, queries) => sum + queries.length, 0);
    for (const line of describeQueries(wanted, clean.queries)) print(line);
    for (const [reason, number] of clean.left) print(`Skipped ${counted(number, 'query', 'queries')}: ${reason}.`);
    for (const gain of gains) print(describeGain(gain));
    const data = { added, left, gains, usage, file };
    if (added === 0) {
      const text = `${by} wrote no usable query. Ask again with --overwrite, or use another model with --model.`;
      return end({ code: 1, text, data: { ...data, kept: 0 } });
    }
    const lost = gains.find(({ isOwn, before, after }) => isOwn && after['ndcg@10'] < before['ndcg@10'] - LOSS);
    if (lost !== undefined && values.yes && !values['allow-regression']) {
      const text = `Nothing was stored: ${lost.asked} find less with the new queries. Store them anyway with --allow-regression.`;
      return end({ code: 1, text, data: { ...data, kept: 0 } });
    }
    const shown = relative(context.cwd, file) || file;
    if (!(await may(`Write ${counted(added, 'query', 'queries')} to ${shown}?`)))
      return end({
        code: 0,
        text: 'The file was not written. The board keeps the answers, so the next run makes no requests.',
        data: { ...data, kept: 0 },
      });
    // Read again: the file may have changed while the model was writing.
    writeQueriesFile(file, addWritten(readWritten(file, context), wanted, { queries: clean.queries, by }));
    const pin = board.lock.state === 'absent' ? '' : ` Pin them with ${board.lock.command}.`;
    const text = `Wrote ${shown}. Review it, and delete what people would not say.${pin}`;
    return end({ code: 0, text, data: { ...data, kept: added } });
  },
});

interface Outcome {
  readonly code: number;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function readWritten(file: string, { cwd }: CliContext): ReadonlyMap<string, WrittenQueries> {
  const reading = readQueriesFile(file);
  if (reading.type === 'absent') return new Map();
  if (reading.type === 'read') return reading.tools;
  // Overwriting the file would lose a person's changes.
  const message = `${relative(cwd, file)}: ${reading.message} Correct it, or move it away to start over.`;
  throw new ToolError({ code: 'invalid_config', message });
}

function nameModel({ model }: Agent): string {
  if (typeof model === 'string') return model;
  if (model === undefined) return 'a model';
  return 'model' in model ? `${model.provider}/${model.model}` : `${model.provider}/${model.modelId}`;
}

function priceOf(
  { input, output }: { readonly input: number; readonly output: number },
  prices: TokenPrices | undefined,
): { readonly cost?: number } {
  return prices === undefined ? {} : { cost: (input * prices.input + output * prices.output) / 1_000_000 };
}

/** Adds the new queries to the existing ones; drops those of changed tools. */
function addWritten(
  written: ReadonlyMap<string, WrittenQueries>,
  wanted: readonly WantedQueries[],
  { queries, by }: { readonly queries: ReadonlyMap<string, readonly string[]>; readonly by: string },
): Map<string, WrittenQueries> {
  const next = new Map(written);
  for (const { tool, hash, language, key } of wanted) {
    const list = queries.get(key) ?? [];
    const { name } = tool.metadata;
    const before = next.get(name);
    const others = before?.for === hash ? before.queries : {};
    if (list.length > 0) next.set(name, { for: hash, by, queries: { ...others, [language]: list } });
  }
  return next;
}

/** Returns the queries that the board uses: those of existing, unchanged tools. */
function toQueries(
  written: ReadonlyMap<string, WrittenQueries>,
  { registry }: Pick<Board, 'registry'>,
): Map<string, readonly string[]> {
  const used = [...written].filter(([name, own]) => {
    const tool = registry.get(name);
    return tool !== undefined && hashForQueries(tool) === own.for;
  });
  return new Map(used.map(([name, own]) => [name, allQueries(own)]));
}

const MOST_SHOWN = 5;

/** The requests to be made. */
interface Plan {
  readonly model: string;
  readonly tools: number;
  readonly languages: readonly string[];
  readonly requests: number;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly cost?: number;
}

/** Describes the requests, the model and the cost. */
function describePlan({ model, tools, languages, requests, tokens, cost }: Plan): string {
  const what = `${counted(tools, 'tool')} in ${languages.join(', ')}`;
  if (requests === 0) return `${what}: ${model} has already answered, no request is needed.`;
  const price = cost === undefined ? '' : `, about ${cost.toFixed(cost < 0.1 ? 4 : 2)} at the agent’s prices`;
  const [input, output] = [tokens.input, tokens.output].map((count) => count.toLocaleString('en-US'));
  return `${what}: ${counted(requests, 'request')} to ${model}, about ${input} tokens in and ${output} out${price}.`;
}

/** Shows a sample of the queries. */
function describeQueries(wanted: readonly WantedQueries[], queries: ReadonlyMap<string, readonly string[]>): string[] {
  const lines = wanted.slice(0, MOST_SHOWN).map(({ tool, key }) => {
    const [first, second] = queries.get(key) ?? [];
    return `${tool.metadata.name}: ${[first, second].filter((query) => query !== undefined).join('; ') || 'none'}`;
  });
  return wanted.length > MOST_SHOWN ? [...lines, '…'] : lines;
}

/** Describes the search results before and after. */
function describeGain({ asked, queries, before, after }: Gain): string {
  const show = (name: 'recall@5' | 'ndcg@10'): string => `${before[name].toFixed(3)} → ${after[name].toFixed(3)}`;
  return `${counted(queries, 'query', 'queries')}, ${asked}: recall@5 ${show('recall@5')}, ndcg@10 ${show('ndcg@10')}`;
}
