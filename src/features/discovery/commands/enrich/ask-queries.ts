import type { Agent } from '../../../../agent/define/agent.ts';
import { defineAgent } from '../../../../agent/define/define-agent.ts';
import { addUsage, type AgentUsage, NO_USAGE } from '../../../../agent/loop/agent-usage.ts';
import { runAgent } from '../../../../agent/loop/run-agent.ts';
import type { Board } from '../../../../board/board.ts';
import type { Redactor } from '../../../../guard/secrets/redactor.ts';
import { findQueryFault } from '../../../../load/queries/queries-file.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import { ToolError } from '../../../../tool/tool-error.ts';
import { INSTRUCTIONS, type QueryRequest, type WantedQueries, WRITTEN_SPACE } from './plan-queries.ts';

const OUTPUT = {
  type: 'object',
  properties: {
    tools: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, queries: { type: 'array', items: { type: 'string' } } },
        required: ['name', 'queries'],
        additionalProperties: false,
      },
    },
  },
  required: ['tools'],
  additionalProperties: false,
} as const;

const MASK = /\[redacted\]/i;

interface AskOptions {
  readonly board: Board;
  /** The agent whose model is used. */
  readonly agent: Agent;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Called after each request. */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Asks a model for queries, one request at a time, and stores each answer in the board's store.
 *
 * Throws `upstream_unavailable` when the model fails; answers up to then stay stored and are not requested again.
 */
export async function askQueries(
  requests: readonly QueryRequest[],
  { board, agent, env, signal, onProgress }: AskOptions,
): Promise<{ readonly answers: ReadonlyMap<string, readonly string[]>; readonly usage: AgentUsage }> {
  const space = board.store.space(WRITTEN_SPACE);
  const answers = new Map<string, readonly string[]>();
  let usage = NO_USAGE;
  const { model, prices, settings } = agent;
  const writer = defineAgent({
    name: 'enrich',
    model,
    prices,
    settings,
    system: INSTRUCTIONS,
    tools: [],
    output: OUTPUT,
  });
  for (const [place, { tools, prompt }] of requests.entries()) {
    const result = await runAgent(writer, prompt, { board, env, signal });
    usage = addUsage(usage, result.usage);
    signal.throwIfAborted();
    if (!result.ok) {
      const done = `${place} of ${requests.length} requests are answered and stored`;
      const message = `The model wrote no queries: ${result.reason} ${done}. Run the command again to continue.`;
      throw new ToolError({ code: 'upstream_unavailable', message });
    }
    for (const [key, queries] of readAnswer(result.output, tools)) {
      // A tool that the model skipped is requested again next time.
      if (queries.length > 0) await space.set(key, queries);
      answers.set(key, queries);
    }
    onProgress(place + 1, requests.length);
  }
  return { answers, usage };
}

/** Reads the queries of the requested tools; ignores other names. */
function readAnswer(output: unknown, tools: readonly WantedQueries[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const items: readonly unknown[] = isPlainObject(output) && Array.isArray(output['tools']) ? output['tools'] : [];
  for (const { tool, key } of tools) {
    const item = items.find((one) => isPlainObject(one) && one['name'] === tool.metadata.name);
    const queries: readonly unknown[] = isPlainObject(item) && Array.isArray(item['queries']) ? item['queries'] : [];
    found.set(
      key,
      queries.filter((query) => typeof query === 'string'),
    );
  }
  return found;
}

/** Usable queries by key, and the number of rejected ones by reason. */
interface CleanQueries {
  readonly queries: ReadonlyMap<string, readonly string[]>;
  readonly left: ReadonlyMap<string, number>;
}

/**
 * Rejects queries that must not be stored: texts with hidden characters, instructions to a model or secrets, names of tools,
 * queries shared by two tools, and more than were requested.
 */
export function cleanQueries(
  answers: ReadonlyMap<string, readonly string[]>,
  {
    count,
    names,
    redactor,
  }: { readonly count: number; readonly names: ReadonlySet<string>; readonly redactor: Redactor },
): CleanQueries {
  const left = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const queries of answers.values())
    for (const query of new Set(queries.map(toKey))) counts.set(query, (counts.get(query) ?? 0) + 1);
  const faultOf = (query: string): string | undefined => {
    if (names.has(query)) return 'the name of a tool';
    if ((counts.get(toKey(query)) ?? 0) > 1) return 'written for several tools or languages';
    // The agent that asks redacts secrets in answers.
    if (redactor.text(query) !== query || MASK.test(query)) return 'contains a secret';
    return findQueryFault(query)?.replace(/:.*/s, '');
  };
  const cleaned = [...answers].map(([key, queries]): [string, string[]] => {
    const kept = new Map<string, string>();
    for (const text of queries) {
      // Only trims: hidden characters must be found, not removed.
      const query = text.trim();
      const fault = kept.has(toKey(query)) ? 'written twice' : faultOf(query);
      if (fault === undefined && kept.size < count) kept.set(toKey(query), query);
      else left.set(fault ?? 'more than requested', (left.get(fault ?? 'more than requested') ?? 0) + 1);
    }
    return [key, [...kept.values()]];
  });
  return { queries: new Map(cleaned), left };
}

function toKey(query: string): string {
  return query.trim().toLowerCase();
}
