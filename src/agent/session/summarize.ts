import type { LanguageModelUsage, ModelMessage } from '../model/ai-types.ts';
import { askModel } from '../model/model-step.ts';
import { type AgentUsage, NO_USAGE, toUsage } from '../loop/agent-usage.ts';
import type { PreparedRun } from '../loop/prepare-run.ts';
import { chatSpan, usageAttributes } from '../tracing/gen-ai-attributes.ts';
import { traced, type Tracing } from '../../platform/telemetry/tracing.ts';
import { compactHistory, isTooLong } from './compact-history.ts';

const MAX_TEXT = 2_000;
const MAX_TOTAL = 200_000;

const INSTRUCTIONS = [
  'You keep notes for an agent whose conversation has become too long.',
  'Summarize the part below so that the agent can continue without it: what the user wants, what was decided, what was done and',
  'found (with names, numbers, paths and ids as they stand), what remains to be done. At most 400 words, no introduction.',
].join('\n');

/** Compacts the history of a run if it is too long. Returns the number of removed messages and the usage of the summary. */
export async function compactRun(
  messages: ModelMessage[],
  run: PreparedRun,
  { tracing, parent }: { readonly tracing: Tracing; readonly parent: unknown },
): Promise<{ readonly messages: ModelMessage[]; readonly removed: number; readonly usage: AgentUsage }> {
  const { limits, prices } = run.agent;
  let usage = NO_USAGE;
  if (!isTooLong(messages, limits.historyTokens)) return { messages, removed: 0, usage };
  const compacted = await compactHistory(messages, {
    budget: limits.historyTokens,
    summarize: async (old) => {
      const summary = await traced(tracing, chatSpan(run, parent), async (span) => {
        const answered = await summarize(old, run);
        if (answered !== undefined) span.set(() => usageAttributes(toUsage(answered.usage, undefined)));
        return answered;
      });
      if (summary !== undefined) usage = toUsage(summary.usage, prices);
      return summary?.text;
    },
  });
  return { ...compacted, usage };
}

/** Summarizes messages with the agent's own model; `undefined` on failure, and the run continues without a summary. */
async function summarize(
  messages: readonly ModelMessage[],
  { model, agent, signal, registry }: Pick<PreparedRun, 'model' | 'agent' | 'signal' | 'registry'>,
): Promise<{ readonly text: string; readonly usage: LanguageModelUsage } | undefined> {
  const transcript = messages.map(toLines).join('\n').slice(-MAX_TOTAL);
  try {
    return await askModel({
      model,
      system: INSTRUCTIONS,
      messages: [{ role: 'user', content: transcript }],
      tools: {},
      declared: [],
      toolChoice: 'auto',
      settings: { providerOptions: agent.settings.providerOptions },
      outputSchema: undefined,
      signal,
      redactor: registry.executor.redactor,
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return undefined;
  }
}

function toLines(message: ModelMessage): string {
  const { role, content } = message;
  if (typeof content === 'string') return `${role}: ${shorten(content)}`;
  return content.map((part) => `${role}: ${partText(part)}`).join('\n');
}

function partText(part: Exclude<ModelMessage['content'], string>[number]): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return shorten(part.text);
    case 'tool-call':
      return `calls ${part.toolName} ${shorten(JSON.stringify(part.input))}`;
    case 'tool-result':
      return `${part.toolName} answers ${shorten('value' in part.output ? toText(part.output.value) : '')}`;
    default:
      return `[${part.type}]`;
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
