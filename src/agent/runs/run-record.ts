import { createHash } from 'node:crypto';
import type { Tool } from '../../tool/tool.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import { mayRepeat } from '../../tool/tool-metadata.ts';
import type { BoardRuns, CallPlace, RunEntry, RunJob } from '../../platform/runs/board-runs.ts';
import { isResumable } from '../../tool/tool-marks.ts';
import type { AgentCall } from '../loop/agent-result.ts';
import { addUsage, type AgentUsage, NO_USAGE, UNCOUNTED } from '../loop/agent-usage.ts';
import type { ModelMessage } from '../model/ai-types.ts';
import type { ModelReply } from '../model/model-reply.ts';
import type { AgentTurn } from '../session/agent-session.ts';
import { capForModel } from '../../tool/cap-for-model.ts';
import { ToolError, type ToolErrorCode, type ToolIssue } from '../../tool/tool-error.ts';
import { ToolResult, type ToolResultParts } from '../../tool/tool-result.ts';

/** A stored reply, with the history sent to the model if that was compacted. */
interface KnownReply {
  readonly reply: ModelReply;
  readonly messages: ModelMessage[] | undefined;
  /** Usage in addition to the reply's own. */
  readonly extra: AgentUsage;
}

/** The data stored with a reply. */
interface ReplyFacts {
  readonly reply: ModelReply;
  /** The board's names of the called tools. */
  readonly tools: readonly string[];
  readonly messages: readonly ModelMessage[] | undefined;
  readonly extra: AgentUsage;
}

/**
 * The stored steps of a run: work of an earlier process is answered from here and not repeated.
 *
 * If a step cannot be stored, the run ends in this process: `log.signal` aborts.
 */
export class RunRecord {
  readonly log: RunJob;
  readonly runs: BoardRuns;
  /** True when a call that needs approval ends the run here instead of waiting. */
  readonly suspends: boolean;
  /** The number of steps answered before this process claimed the run. */
  readonly stepsBefore: number;
  readonly #replies = new Map<number, KnownReply>();
  readonly #asked = new Map<number, number>();
  readonly #begun = new Map<string, { readonly tool: string; mayRepeat: boolean }>();
  readonly #answers = new Map<string, KnownAnswer>();
  readonly #shown = new WeakMap<AgentCall, ToolResult>();
  #turn: Extract<RunEntry, { type: 'turn' }> | undefined;

  constructor(log: RunJob, runs: BoardRuns, suspends: boolean) {
    this.log = log;
    this.runs = runs;
    this.suspends = suspends;
    for (const entry of log.entries) this.#read(entry);
    this.stepsBefore = this.#replies.size;
  }

  get id(): string {
    return this.log.record.id;
  }

  /** Identifies this run's turn in its conversation. */
  get turnKey(): { readonly id: string; readonly revision: string | undefined } {
    const { id, info } = this.log.record;
    return { id: `${id} ${info.nonce}`, revision: this.#turn?.revision };
  }

  /** Returns the conversation as it was when the run began, in this process or an earlier one. */
  async beginTurn({ messages, revision }: AgentTurn): Promise<readonly ModelMessage[]> {
    if (this.#turn === undefined) {
      this.#turn = { type: 'turn', messages, revision };
      await this.#note([this.#turn]);
    }
    // Stored as messages.
    return this.#turn.messages as readonly ModelMessage[];
  }

  reply(step: number): KnownReply | undefined {
    return this.#replies.get(step);
  }

  /** Records that the model is asked. Returns the usage of processes that asked and died before the answer came. */
  async recordRequest(step: number): Promise<AgentUsage> {
    const lost = this.#asked.get(step) ?? 0;
    await this.#note([{ type: 'ask', step }]);
    return Array.from({ length: lost }).reduce<AgentUsage>((sum) => addUsage(sum, UNCOUNTED), NO_USAGE);
  }

  async recordReply(step: number, { reply, tools, messages, extra }: ReplyFacts): Promise<void> {
    await this.#note([{ type: 'reply', step, reply, tools, messages, extra }]);
  }

  /** Returns the options that store a call with the run. The key is the same in every process, and differs for every call. */
  callOptions(place: CallPlace, tool: Tool | undefined): CallOptions {
    const { id, info } = this.log.record;
    const parts = [info.nonce, id, place.step, place.index];
    const key = createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
    // An agent or a program that had started resumes where it stopped.
    const continues = tool !== undefined && isResumable(tool) && this.#begun.has(toKey(place));
    return {
      idempotencyKey: key,
      // The tool has read its key, so its call may be repeated.
      onKeyRead: () => void this.#note([{ type: 'key', ...place }]),
      beforeRun: (running) => this.#recordStart(place, running),
      approval: { key, defer: this.suspends, continues },
    };
  }

  answer(place: CallPlace): KnownAnswer | undefined {
    return this.#answers.get(toKey(place));
  }

  /** Returns the tool that may have run in an earlier process and must not run again, as its result is unknown. */
  mayHaveRun(place: CallPlace): string | undefined {
    const begun = this.#begun.get(toKey(place));
    return begun === undefined || begun.mayRepeat ? undefined : begun.tool;
  }

  /** Records that a tool is about to run. Rejects if that cannot be stored: the tool must not run then. */
  async #recordStart(place: CallPlace, tool: Tool): Promise<void> {
    const isRepeatable = mayRepeat(tool) || isResumable(tool);
    await this.log.append([{ type: 'call', ...place, tool: tool.metadata.name, mayRepeat: isRepeatable }]);
  }

  async waits(place: CallPlace, approvals: readonly string[]): Promise<void> {
    await this.#note([{ type: 'wait', ...place, approvals }]);
  }

  async answers(place: CallPlace, call: AgentCall, used: AgentUsage): Promise<void> {
    const { state, shown } = toAnswerState(call, used);
    this.#shown.set(call, shown);
    const { result } = call;
    await this.#note([{ type: 'result', ...place, outcome: result.ok ? 'ok' : result.error.code, answer: state }]);
  }

  resultForModel(call: AgentCall): ToolResult | undefined {
    return this.#shown.get(call);
  }

  /** Remembers the result that the model got for a stored answer. */
  restoreResult(call: AgentCall, { shown }: KnownAnswer): void {
    this.#shown.set(call, shown);
  }

  /** Stores entries; a failure aborts `log.signal`. */
  async #note(entries: readonly RunEntry[]): Promise<void> {
    await this.log.append(entries).catch(() => undefined);
  }

  #read(entry: RunEntry): void {
    switch (entry.type) {
      case 'turn':
        this.#turn = entry;
        return;
      case 'ask':
        this.#asked.set(entry.step, (this.#asked.get(entry.step) ?? 0) + 1);
        return;
      case 'reply':
        this.#replies.set(entry.step, {
          // Written only by `recordReply`.
          reply: entry.reply as ModelReply,
          messages: entry.messages as ModelMessage[] | undefined,
          extra: parseUsage(entry.extra),
        });
        return;
      case 'call':
        this.#begun.set(toKey(entry), { tool: entry.tool, mayRepeat: entry.mayRepeat });
        return;
      case 'key': {
        const begun = this.#begun.get(toKey(entry));
        if (begun !== undefined) begun.mayRepeat = true;
        return;
      }
      case 'result':
        this.#answers.set(toKey(entry), parseAnswerState(entry.answer));
        return;
      default:
    }
  }
}

function toKey({ step, index }: CallPlace): string {
  return `${step} ${index}`;
}

/** The stored form of a call's result. */
interface AnswerState {
  readonly callId: string;
  readonly tool: string;
  readonly result: ResultState;
  /** The result the model got, if shorter. */
  readonly shown?: ResultState;
  readonly answeredFrom?: string;
  /** Usage of agents below. */
  readonly used?: AgentUsage;
}

type ResultState = Omit<ToolResultParts, 'error' | 'modelOutput'> & {
  readonly error?: Readonly<Record<string, unknown>>;
  /** True when the rest of its text can be read. */
  readonly isKept?: true;
};

/** A stored result, and the part that the model gets. */
export interface KnownAnswer {
  readonly call: Omit<AgentCall, 'input'>;
  readonly shown: ToolResult;
  readonly used: AgentUsage;
}

/** Converts a result for storage, together with the part that the model gets. */
function toAnswerState(call: AgentCall, used: AgentUsage): { readonly state: AnswerState; shown: ToolResult } {
  const { callId, tool, result, answeredFrom } = call;
  const shown = capForModel(result);
  const state = {
    callId,
    tool,
    result: toResultState(result),
    ...(shown === result ? {} : { shown: toResultState(shown) }),
    ...(answeredFrom === undefined ? {} : { answeredFrom }),
    ...(used === NO_USAGE ? {} : { used }),
  };
  return { state, shown };
}

/** Reads a stored result. */
function parseAnswerState(given: unknown): KnownAnswer {
  // Written only by `toAnswerState`.
  const { callId, tool, result, shown, answeredFrom, used } = given as AnswerState;
  const whole = parseResult(result);
  return {
    call: { callId, tool, result: whole, ...(answeredFrom === undefined ? {} : { answeredFrom }) },
    shown: shown === undefined ? whole : parseResult(shown),
    used: parseUsage(used),
  };
}

/** Reads a stored usage: JSON has no `undefined`, so an unknown cost is missing. */
export function parseUsage(given: unknown): AgentUsage {
  // Only usages are stored here.
  const usage = given as AgentUsage | undefined;
  return usage === undefined ? NO_USAGE : { ...NO_USAGE, ...usage, cost: usage.cost };
}

function toResultState({ text, data, content, error, meta, modelOutput }: ToolResult): ResultState {
  return {
    text,
    ...(data === undefined ? {} : { data }),
    ...(content === undefined ? {} : { content }),
    ...(error === undefined ? {} : { error: error.toJSON() }),
    meta,
    ...(modelOutput?.keep === undefined ? {} : { isKept: true }),
  };
}

function parseResult({ error, isKept, ...parts }: ResultState): ToolResult {
  return ToolResult.from({
    ...parts,
    error: error === undefined ? undefined : parseError(error),
    // The full output was stored when the call ended; this only marks that it can be read.
    modelOutput: isKept === true ? { keep: () => undefined } : undefined,
  });
}

function parseError(state: Readonly<Record<string, unknown>>): ToolError {
  const text = (key: string): string | undefined => (typeof state[key] === 'string' ? state[key] : undefined);
  return new ToolError({
    // Written by an error's `toJSON`.
    code: state['code'] as ToolErrorCode,
    message: text('message') ?? '',
    toolName: text('tool'),
    field: text('field'),
    reason: text('reason'),
    issues: state['issues'] as ToolIssue[] | undefined,
    recoverable: state['recoverable'] === true,
    approvalId: text('approvalId'),
    loginUrl: text('loginUrl'),
    protocol: state['protocol'] as ToolError['protocol'],
  });
}
