import { resolve } from 'node:path';
import type { Board } from '../../board/board.ts';
import { agents } from '../../features/agents/feature.ts';
import type { SectionValue } from '../../load/features/built-in-section.ts';
import { mergeSections } from '../../load/features/section.ts';
import type { Agent, ModelSettings } from './agent.ts';
import { type AgentSpec, defineAgent } from './define-agent.ts';

/** An agent as a board file has it. */
type AgentEntry = SectionValue<'agents'>[string];

/** Options of `readAgents`. */
export interface ReadAgentsOptions {
  /** The folder that relative paths start from. Default: the current folder of this process. */
  readonly cwd?: string;
}

/** Returns the agents of a board's files by name; a later file wins. `openBoard` has already rejected invalid agents. */
export function readAgents(board: Pick<Board, 'files'>, options: ReadAgentsOptions = {}): Map<string, Agent> {
  const { agents: settings } = mergeSections(agents.sections, board.files, options.cwd);
  const entries = new Map(Object.entries(settings?.value ?? {}));
  const made = new Map<string, Agent>();
  const make = (name: string): Agent[] => {
    const known = made.get(name);
    if (known !== undefined) return [known];
    const entry = entries.get(name);
    if (entry === undefined || settings === undefined) return [];
    const others = (entry.agents ?? []).flatMap(make);
    const agent = defineAgent(toSpec(name, entry, { folder: settings.folder([name]), agents: others }));
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
