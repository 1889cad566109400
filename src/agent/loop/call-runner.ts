import type { CallBounds } from '../../tool/calls/call-bounds.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import type { ToolExecutor } from '../../pipeline/tool-executor.ts';
import type { CallPlace } from '../../platform/runs/board-runs.ts';
import { riskOf } from '../../tool/tool-metadata.ts';
import type { Agent } from '../define/agent.ts';
import type { AgentCall, AgentEvent } from './agent-result.ts';
import { addUsage, type AgentUsage, NO_USAGE } from './agent-usage.ts';
import type { ModelCall } from '../model/model-reply.ts';
import type { KnownAnswer, RunRecord } from '../runs/run-record.ts';
import { traced, type Tracing } from '../../platform/telemetry/tracing.ts';
import { isPlainObject } from '../../tool/json.ts';
import { unlessAborted } from '../../platform/unless-aborted.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** The parts of a run that a call runner uses. */
export interface CallRunnerOptions {
  readonly agent: Agent;
  /** The tools the agent may reach and the approvals they need. */
  readonly bounds: CallBounds;
  /** The pipeline that runs the calls. */
  readonly executor: ToolExecutor;
  /** Returns the board's name for a name that the model used. */
  readonly toBoard: (name: string) => string;
  /** Undefined when the run cannot be cancelled. */
  readonly signal: AbortSignal | undefined;
  readonly tracing: Tracing;
  /** True when arguments and results are written to spans. */
  readonly isContentTraced: boolean;
  /** Creates the context of a call, with its bounds; `span` becomes the parent of the call's spans. */
  readonly contextFor: (span: unknown, place: CallPlace, listeners: CallListeners) => ToolContext;
  /** Adds the usage of calls made by an earlier process. */
  readonly addUsage: (usage: AgentUsage) => void;
  /** Stores calls and results, and finds those of earlier processes. */
  readonly record: RunRecord | undefined;
  readonly emit: (event: AgentEvent) => void;
}

/** Reports what agents below a call do. */
interface CallListeners {
  readonly onUsage: (usage: AgentUsage) => void;
  /** Called with the ids of their pending approvals. */
  readonly onWait: (approvals: readonly string[]) => void;
}

/** Runs the calls of a step in parallel, within limits, and returns the results in the order of the calls. */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  /** Results of read-only calls by tool and input; cleared as soon as anything may have changed. */
  readonly #known = new Map<string, { readonly callId: string; readonly result: Promise<ToolResult> }>();
  readonly #failures = new Map<string, number>();
  #stuck: { readonly tool: string; readonly count: number } | undefined;
  readonly #waitingFor = new Set<string>();
  /** Usage and pending approvals of agents below, by call. */
  readonly #used = new Map<ModelCall, AgentUsage>();
  readonly #waits = new Map<ModelCall, readonly string[]>();

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  /** The call that failed too often, if any. */
  get stuck(): { readonly tool: string; readonly count: number } | undefined {
    return this.#stuck;
  }

  /** The pending approvals of the last step; their calls have no result yet. */
  get waitingFor(): readonly string[] {
    return [...this.#waitingFor];
  }

  /** Runs every call exactly once. Never throws for failures of a call or a tool. */
  run(
    calls: readonly ModelCall[],
    { step, span }: { readonly step: number; readonly span: unknown },
  ): Promise<AgentCall[]> {
    const { concurrency, maxCallsPerStep } = this.#options.agent.limits;
    return mapLimited(calls, concurrency, async (call, index) => {
      const place = { step, index };
      const known = this.#options.record?.answer(place);
      if (known !== undefined) return this.#repeat(call, known);
      const tool = this.#options.toBoard(call.name);
      const answered =
        index >= maxCallsPerStep
          ? this.#end(call, tool, { result: this.#tooMany(call, calls.length) })
          : await this.#traced({ call, place }, tool, span);
      await this.#keep(place, call, answered);
      return answered;
    });
  }

  /** Reuses the result of an earlier process as if the call had run now. */
  #repeat(call: ModelCall, known: KnownAnswer): AgentCall {
    const { record, addUsage: add, bounds, agent } = this.#options;
    const answered = { ...known.call, input: call.input };
    record?.restoreResult(answered, known);
    add(known.used);
    const { tool: name, result } = answered;
    const key = `${name} ${toStableJson(call.input)}`;
    const tool = bounds.find(name);
    if (tool !== undefined && riskOf(tool) !== 'read') this.#known.clear();
    else if (result.ok && agent.reuseReads && !call.isMalformed && answered.answeredFrom === undefined)
      this.#known.set(key, { callId: call.id, result: Promise.resolve(result) });
    if (answered.answeredFrom === undefined) this.#tally(key, name, result);
    return answered;
  }

  /** Stores a result, or the approvals that the call waits for. A call of a cancelled run has no result to store. */
  async #keep(place: CallPlace, call: ModelCall, answered: AgentCall): Promise<void> {
    const { record, signal } = this.#options;
    if (record === undefined) return;
    const { result } = answered;
    const asked = record.suspends && !result.ok ? neededApproval(result.error) : undefined;
    const approvals = asked === undefined ? (this.#waits.get(call) ?? []) : [asked];
    if (approvals.length > 0) {
      for (const id of approvals) this.#waitingFor.add(id);
      return record.waits(place, approvals);
    }
    if (signal?.aborted === true && !result.ok && result.error.code === 'cancelled') return;
    await record.answers(place, answered, this.#used.get(call) ?? NO_USAGE);
  }

  #traced({ call, place }: PlacedCall, tool: string, parent: unknown): Promise<AgentCall> {
    this.#options.emit({
      type: 'call-start',
      agent: this.#options.agent.name,
      callId: call.id,
      tool,
      input: call.input,
    });
    const { isContentTraced } = this.#options;
    const attributes = (): Record<string, string> => ({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.call.id': call.id,
      'gen_ai.tool.type': 'function',
      ...describeCalled(this.#options.bounds.find(tool)),
      ...(isContentTraced ? { 'gen_ai.tool.call.arguments': asText(call.input) } : {}),
    });
    return traced(
      this.#options.tracing,
      { name: `execute_tool ${tool}`, kind: 'internal', attributes, parent },
      async (span) => {
        const answered = await this.#answer({ call, place }, tool, span.context);
        const { result } = answered;
        if (!result.ok) span.fail(result.error.code, result.error.message);
        else if (isContentTraced) span.set(() => ({ 'gen_ai.tool.call.result': result.text }));
        return answered;
      },
    );
  }

  async #answer({ call, place }: PlacedCall, name: string, span: unknown): Promise<AgentCall> {
    const { bounds, agent, signal } = this.#options;
    if (bounds.find(name) === undefined)
      await unlessAborted(Promise.resolve(bounds.arrival?.(name)), signal).catch(() => {});
    const tool = bounds.find(name);
    const isRead = tool !== undefined && riskOf(tool) === 'read';
    const key = `${name} ${toStableJson(call.input)}`;
    if (!isRead || !agent.reuseReads || call.isMalformed) {
      // The call may change what earlier calls have read.
      if (tool !== undefined && !isRead) this.#known.clear();
      const result = await this.#execute({ call, place }, tool, span);
      if (tool !== undefined && !isRead) this.#known.clear();
      return this.#end(call, name, { result: this.#count(key, name, result) });
    }
    const known = this.#known.get(key);
    if (known !== undefined) {
      const first = await known.result;
      return this.#end(call, name, { result: markReused(first, known.callId), answeredFrom: known.callId });
    }
    const pending = this.#execute({ call, place }, tool, span);
    this.#known.set(key, { callId: call.id, result: pending });
    const result = await pending;
    // A failure may be temporary; only calls made at the same time share it.
    if (!result.ok && this.#known.get(key)?.result === pending) this.#known.delete(key);
    return this.#end(call, name, { result: this.#count(key, name, result) });
  }

  async #execute({ call, place }: PlacedCall, tool: Tool | undefined, span: unknown): Promise<ToolResult> {
    const { bounds, executor, signal, record } = this.#options;
    const context = this.#options.contextFor(span, place, {
      onUsage: (usage) => void this.#used.set(call, addUsage(this.#used.get(call) ?? NO_USAGE, usage)),
      onWait: (approvals) => void this.#waits.set(call, approvals),
    });
    const options = { coerce: true, callId: call.id, signal, context, ...record?.callOptions(place, tool) };
    const lost = record?.mayHaveRun(place);
    if (lost !== undefined) return executor.refuse(outcomeUnknown(lost), options, call.input);
    if (tool === undefined) return executor.refuse(bounds.explainUnknown(call.name), options, call.input);
    if (call.isMalformed) return executor.refuse(malformed(call, tool), options, call.input);
    return executor.execute(tool, call.input, options);
  }

  /** Counts failures of the same call, and warns the model when it repeats itself. */
  #count(key: string, tool: string, result: ToolResult): ToolResult {
    const count = this.#tally(key, tool, result);
    if (count < 2) return result;
    const note = `This same call has now failed ${count} times. Do not repeat it: change the arguments, use another tool, or say what is missing.`;
    return result.with({ text: `${result.text}\n${note}` });
  }

  /** Returns how often the same call has failed, including this time; 0 if it succeeded. */
  #tally(key: string, tool: string, { ok }: ToolResult): number {
    if (ok) {
      this.#failures.delete(key);
      return 0;
    }
    const count = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, count);
    if (count >= this.#options.agent.limits.maxSameFailures) this.#stuck = { tool, count };
    return count;
  }

  #tooMany(call: ModelCall, count: number): ToolResult {
    const { agent, executor } = this.#options;
    const { maxCallsPerStep } = agent.limits;
    const error = new ToolError({
      code: 'permission_denied',
      message: `Not run: ${count} calls were made at once; the limit is ${maxCallsPerStep}. Repeat those that are still needed.`,
      toolName: call.name,
    });
    return executor.refuse(error, { callId: call.id });
  }

  #end(call: ModelCall, tool: string, answer: Pick<AgentCall, 'result' | 'answeredFrom'>): AgentCall {
    const answered = { callId: call.id, tool, input: call.input, ...answer };
    this.#options.emit({ type: 'call-end', agent: this.#options.agent.name, ...answered });
    return answered;
  }
}

/** A call and its position in the run. */
interface PlacedCall {
  readonly call: ModelCall;
  readonly place: CallPlace;
}

/** Returns the approval that a call waits for; `undefined` if it failed for another reason or nobody answered in time. */
function neededApproval({ code, approvalId, reason }: ToolError): string | undefined {
  return code === 'approval_required' && reason !== 'expired' ? approvalId : undefined;
}

function outcomeUnknown(toolName: string): ToolError {
  const message = `It is unknown whether this call of "${toolName}" ran: its process ended before the answer came. Check before you repeat it, or say so.`;
  return new ToolError({ code: 'outcome_unknown', message, toolName });
}

function describeCalled(tool: Tool | undefined): Record<string, string> {
  return tool === undefined ? {} : { 'gen_ai.tool.description': tool.metadata.description };
}

function asText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

function markReused(result: ToolResult, callId: string): ToolResult {
  const note = `(You made this call before, as ${callId}, and nothing has changed since. Its result again:)`;
  return result.with({
    text: `${note}\n${result.text}`,
    ...(result.content === undefined ? {} : { content: [{ type: 'text', text: note }, ...result.content] }),
    meta: { ...result.meta, notices: [...(result.meta.notices ?? []), `answered from call ${callId}`] },
  });
}

function malformed(call: ModelCall, tool: Tool): ToolError {
  let reason = 'are not a JSON object';
  try {
    JSON.parse(String(call.input));
  } catch (error) {
    reason = `are not valid JSON: ${messageOf(error)}`;
  }
  const { name } = tool.metadata;
  const message = `Arguments of "${name}" (call "${call.id}") ${reason}. Send one JSON object, for example {"key": "value"}.`;
  return new ToolError({ code: 'invalid_arguments', message, toolName: name, field: 'arguments' });
}

/** Maps all items, at most `limit` at once, and returns the results in order. */
async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  if (items.length <= limit) return Promise.all(items.map(work));
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      // `index` is below the length, so the item exists.
      results[index] = await work(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}

/** Serializes a value so that the order of keys makes no difference. */
function toStableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isPlainObject(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
