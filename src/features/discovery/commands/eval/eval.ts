import { Redactor } from '../../../../guard/secrets/redactor.ts';
import type { Embedder } from '../../../../vectors/embedder.ts';
import { ToolError } from '../../../../tool/tool-error.ts';
import { type EvalQuery, evaluate, evaluateUtterances, type Evaluation } from '../../../../discovery/eval/evaluate.ts';
import { ToolIndex } from '../../../../discovery/tool-index.ts';
import { createEmbedder } from '../../../../vectors/create-embedder.ts';
import { dataFolder } from '../../../../load/data-folder.ts';
import type { CliContext } from '../../../../cli/shared/cli-context.ts';
import { counted } from '../../../../tool/texts/counted.ts';
import { defineCommand, FILE_OPTION, valueOption } from '../../../../cli/shared/command.ts';
import { findShortfalls, MINIMUM_OPTIONS, parseMinimum } from '../../../../cli/shared/evaluation/minimums.ts';
import { describeEvaluation, showProgress } from '../../../../cli/shared/evaluation/describe-evaluation.ts';
import { type FileItem, readItems, readQueries, refuse } from '../../../../cli/shared/evaluation/read-queries.ts';
import { parseCount } from '../../../../cli/shared/parse-values.ts';
import { redactorOf, useBoard } from '../../../../cli/shared/board/use-board.ts';
import { isPlainObject, type JsonSchema } from '../../../../tool/json.ts';
import { defineTool } from '../../../../tool/define/define-tool.ts';
import type { IndexedConfig } from '../../../../discovery/index-source.ts';

interface EvalRequest {
  readonly queries: readonly EvalQuery[] | undefined;
  /** The config files of the board to search. */
  readonly files: readonly string[];
  readonly tools: string | undefined;
  readonly platform: string | undefined;
}

export const evalCommand = defineCommand({
  name: 'eval',
  description:
    'Runs queries and measures how often the expected tools are found. Without a file, it uses the utterances of the tools, each on an index without it.',
  arguments: [{ name: 'FILES', description: 'Queries with the expected tools: YAML, JSON or JSONL', multiple: true }],
  options: {
    ...FILE_OPTION,
    tools: valueOption('FILE', 'Search these tools (YAML, JSON or JSONL) instead of a board'),
    embedder: valueOption('PLATFORM', 'Search by meaning with this embedder, such as local'),
    ...MINIMUM_OPTIONS,
  },
  examples: [
    ['pegboard eval', 'the utterances of the board'],
    ['pegboard eval queries.yaml --min recall@5=0.9', 'fail in CI when fewer than 90 % are found'],
    ['pegboard eval queries.jsonl --tools tools.jsonl --embedder local', 'tools that are not on a board'],
  ],
  async run({ values, positionals, context }) {
    const minimums = values.min.map((text) => parseMinimum(text, 'eval'));
    const mostMisses = parseCount(values.misses, { option: '--misses', command: 'eval' }) ?? 10;
    const queries = positionals.length === 0 ? undefined : readQueries(positionals, context.cwd);
    const request = { queries, files: values.file, tools: values.tools, platform: values.embedder };
    const { evaluation, redactor } = await run(request, context);
    const shortfalls = findShortfalls(evaluation.measures, minimums);
    const among = counted(evaluation.tools, 'tool');
    return {
      data: redactor.data({ ok: shortfalls.length === 0, ...evaluation, shortfalls }),
      ...describeEvaluation(evaluation, { among, mostMisses, shortfalls, redactor }),
    };
  },
});

type Outcome = { readonly evaluation: Evaluation; readonly redactor: Redactor };

async function run(request: EvalRequest, context: CliContext): Promise<Outcome> {
  const { queries, files, tools, platform } = request;
  const progress = showProgress(context);
  const options = { signal: context.signal, onProgress: progress.show };
  try {
    if (tools !== undefined) {
      return await withEmbedder(
        platform,
        dataFolder([], { data: undefined, env: context.env, cwd: context.cwd }),
        async (embedder) => {
          const index = ToolIndex.from(readTools(tools, context.cwd), { embedder });
          const asked = (queries ?? []).map(withBoardNames);
          if (asked.length === 0) throw nothingToAsk('Name a file with queries.');
          return { evaluation: await evaluate(index, asked, options), redactor: new Redactor() };
        },
      );
    }
    // Without the tools of its servers, the figures would describe another board.
    return await useBoard(files, { context, meet: 'new' }, (board) =>
      withEmbedder(platform, board.data, async (embedder) => {
        const redactor = redactorOf(board);
        if (queries === undefined) {
          const evaluation = await evaluateUtterances(board, { ...options, embedder });
          if (evaluation.queries > 0) return { evaluation, redactor };
          throw nothingToAsk('Write utterances beside your tools, or name a file with queries.');
        }
        if (queries.length === 0) throw nothingToAsk('The files have no queries.');
        const index = embedder === undefined ? board.index : ToolIndex.from(board, { embedder });
        return { evaluation: await evaluate(index, queries, options), redactor };
      }),
    );
  } finally {
    progress.end();
  }
}

async function withEmbedder<T>(
  platform: string | undefined,
  data: string,
  work: (embedder: Embedder | undefined) => Promise<T>,
): Promise<T> {
  if (platform === undefined) return work(undefined);
  const embedder = createEmbedder({ platform }, { data });
  try {
    return await work(embedder);
  } finally {
    await embedder.close();
  }
}

function withBoardNames({ query, expected, groups }: EvalQuery): EvalQuery {
  return { query, expected: expected.map(toToolName), groups: groups?.map((need) => need.map(toToolName)) };
}

function nothingToAsk(fix: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message: `There is nothing to evaluate. ${fix}` });
}

const DEEPEST = 6;

/** Converts a name to one that a board accepts: other characters become `_`. */
function toToolName(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '_').slice(0, 128);
}

/** Reads the tools to search: `{ name, description, server?, serverDescription?, category?, inputSchema? }`. */
function readTools(file: string, cwd: string): IndexedConfig[] {
  const servers = new Map<string, { description: string | undefined; tools: ReturnType<typeof readTool>[] }>();
  for (const item of readItems(file, { cwd, key: 'tools' })) {
    const tool = readTool(item);
    const { server, serverDescription } = isPlainObject(item.value) ? item.value : {};
    const name = typeof server === 'string' && server !== '' ? server : 'tools';
    const known = servers.get(name) ?? { description: undefined, tools: [] };
    if (typeof serverDescription === 'string') known.description ??= serverDescription;
    known.tools.push(tool);
    servers.set(name, known);
  }
  return [...servers].map(([name, { description, tools }]) => ({ name, description, tools }));
}

function readTool({ value, place }: FileItem): ReturnType<typeof defineTool> {
  if (!isPlainObject(value) || typeof value['name'] !== 'string' || value['name'] === '') {
    throw refuse(place, 'must be a tool: { name, description, server?, inputSchema? }');
  }
  const { name, description, category, server, utterances, tags } = value;
  return defineTool({
    name: toToolName(name),
    description: (typeof description === 'string' && description.trim()) || name,
    ...(typeof server === 'string' && server !== '' ? { source: server } : {}),
    ...(typeof category === 'string' && category !== '' ? { category } : {}),
    ...(Array.isArray(utterances) ? { utterances: utterances.map(String) } : {}),
    ...(Array.isArray(tags) ? { tags: tags.map(String) } : {}),
    schema: { ...toWords(value['inputSchema'], 0), type: 'object' },
    execute: () => {
      throw new Error('This tool cannot be called.');
    },
  });
}

/** Keeps the searchable parts of a schema. Other parts may be invalid JSON Schema, which no board accepts. */
function toWords(schema: unknown, depth: number): JsonSchema {
  if (!isPlainObject(schema) || depth > DEEPEST) return {};
  const { properties, items, description, enum: values } = schema;
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(Array.isArray(values) ? { enum: values } : {}),
    ...(isPlainObject(items) ? { items: toWords(items, depth + 1) } : {}),
    ...(isPlainObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, toWords(one, depth + 1)]),
          ),
        }
      : {}),
  };
}
