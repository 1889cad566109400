import { dirname, resolve } from 'node:path';
import type { Board } from '../../board/board.ts';
import type { Agent, AgentToolChoice, ModelSettings, ToolPick } from './agent.ts';
import { type AgentSpec, defineAgent } from './define-agent.ts';

/** An agent entry of a board file, already validated by the file's schema. */
interface AgentEntry {
  readonly description?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly base_url?: string;
  readonly api_key?: string;
  readonly api?: 'responses' | 'chat';
  readonly headers?: Readonly<Record<string, string>>;
  readonly system?: string;
  readonly system_file?: string;
  readonly tools?: readonly ToolPick[];
  readonly agents?: readonly string[];
  readonly discovery?: Agent['discovery'];
  readonly code?: boolean;
  readonly search_above?: number;
  readonly pinned?: readonly string[];
  readonly tool_choice?: AgentToolChoice;
  readonly max_steps?: number;
  readonly max_calls_per_step?: number;
  readonly concurrency?: number;
  readonly model_retries?: number;
  readonly history_tokens?: number;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly max_output_tokens?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly provider_options?: ModelSettings['providerOptions'];
  readonly output?: Readonly<Record<string, unknown>>;
  readonly approval?: Agent['approval'];
  readonly reuse_reads?: boolean;
  readonly prices?: {
    readonly input: number;
    readonly output: number;
    readonly cached_input?: number;
    readonly cache_write?: number;
  };
}

/** Options of `readAgents`. */
export interface ReadAgentsOptions {
  /** The folder that relative paths start from. Default: the current folder of this process. */
  readonly cwd?: string;
}

/** Returns the agents of a board's files by name; a later file wins. `openBoard` has already rejected invalid agents. */
export function readAgents(board: Pick<Board, 'files'>, options: ReadAgentsOptions = {}): Map<string, Agent> {
  const entries = new Map<string, { readonly entry: AgentEntry; readonly folder: string }>();
  for (const { agents, file } of board.files) {
    const folder = dirname(resolve(options.cwd ?? '.', file));
    for (const [name, entry] of Object.entries(agents)) entries.set(name, { entry: entry as AgentEntry, folder });
  }
  const made = new Map<string, Agent>();
  const make = (name: string): Agent[] => {
    const known = made.get(name);
    if (known !== undefined) return [known];
    const found = entries.get(name);
    if (found === undefined) return [];
    const { entry, folder } = found;
    const agent = defineAgent(toSpec(name, entry, { folder, agents: (entry.agents ?? []).flatMap(make) }));
    made.set(name, agent);
    return [agent];
  };
  // Keeps the files' order even when an agent needs a later one.
  return new Map([...entries.keys()].flatMap(make).map((agent) => [agent.name, agent]));
}

function toSpec(
  name: string,
  entry: AgentEntry,
  { folder, agents }: { readonly folder: string; readonly agents: readonly Agent[] },
): AgentSpec {
  const { provider, model, prices } = entry;
  const system = entry.system_file === undefined ? entry.system : { file: resolve(folder, entry.system_file) };
  const spec = {
    description: entry.description,
    model:
      provider === undefined || model === undefined
        ? undefined
        : { provider, model, baseUrl: entry.base_url, apiKey: entry.api_key, headers: entry.headers, api: entry.api },
    system,
    tools: entry.tools,
    discovery: entry.discovery,
    code: entry.code,
    searchAbove: entry.search_above,
    pinned: entry.pinned,
    toolChoice: entry.tool_choice,
    maxSteps: entry.max_steps,
    maxCallsPerStep: entry.max_calls_per_step,
    concurrency: entry.concurrency,
    modelRetries: entry.model_retries,
    historyTokens: entry.history_tokens,
    settings: toSettings(entry),
    output: entry.output,
    approval: entry.approval,
    reuseReads: entry.reuse_reads,
    prices:
      prices === undefined
        ? undefined
        : { ...prices, cachedInput: prices.cached_input, cacheWrite: prices.cache_write },
  };
  return { ...Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined)), name, agents };
}

function toSettings(entry: AgentEntry): ModelSettings {
  return {
    temperature: entry.temperature,
    topP: entry.top_p,
    topK: entry.top_k,
    maxOutputTokens: entry.max_output_tokens,
    seed: entry.seed,
    stopSequences: entry.stop,
    providerOptions: entry.provider_options,
  };
}
