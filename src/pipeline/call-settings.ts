import type { Tool } from '../tool/tool.ts';
import { Redactor } from '../guard/secrets/redactor.ts';
import type { ApprovalKeeper } from '../tool/calls/approval.ts';
import type { CallGuard, ReserveCall } from '../tool/calls/call-bounds.ts';
import type { CallRecorder } from './call-recorder.ts';
import type { CallSpans } from './call-spans.ts';
import { type Clock, systemClock } from './deadlines.ts';
import { type CallLease, checkExecutorOptions, type ExecutorOptions } from './executor-options.ts';
import { toModelOutput } from './finish-result.ts';
import { DEFAULT_INPUT_LIMITS, type InputLimits } from '../tool/input-limits.ts';

/** Default timeout of a call in milliseconds. */
export const DEFAULT_TIMEOUT = 30_000;
const DEFAULT_RETRY_DELAY = 200;
const DEFAULT_MAX_OUTPUT = 1_048_576;
const DEFAULT_MAX_MEDIA = 10_485_760;

/** The options of an executor with every default filled in. */
export interface CallSettings {
  readonly timeout: number;
  readonly concurrency: number | undefined;
  readonly retries: number;
  readonly retryDelay: number;
  readonly coerce: boolean;
  readonly inputLimits: InputLimits;
  readonly maxOutput: number;
  readonly maxMedia: number;
  readonly modelOutput: ReturnType<typeof toModelOutput>;
  readonly redactor: () => Redactor;
  readonly clock: Clock;
  readonly guard: CallGuard | undefined;
  readonly reserve: (() => ReserveCall | undefined) | undefined;
  readonly isGuarded: (tool: Tool, args: unknown) => boolean;
  readonly lease: CallLease | undefined;
  readonly recorder: CallRecorder | undefined;
  readonly spans: CallSpans | undefined;
  readonly approvals: ApprovalKeeper | undefined;
}

/** Reads the options of an executor. Throws for those that would make every call hang or fail. */
export function readSettings(options: ExecutorOptions): CallSettings {
  checkExecutorOptions(options);
  return {
    timeout: options.timeout ?? DEFAULT_TIMEOUT,
    concurrency: options.concurrency,
    retries: options.retries ?? 0,
    retryDelay: options.retryDelay ?? DEFAULT_RETRY_DELAY,
    coerce: options.coerce ?? false,
    inputLimits: toInputLimits(options),
    maxOutput: options.maxOutput ?? DEFAULT_MAX_OUTPUT,
    maxMedia: options.maxMedia ?? DEFAULT_MAX_MEDIA,
    modelOutput: toModelOutput(options),
    redactor: toRedactor(options.secrets ?? []),
    clock: options.clock ?? systemClock,
    guard: options.guard,
    reserve: options.reserve,
    isGuarded: options.isGuarded ?? (() => options.guard !== undefined),
    lease: options.lease,
    recorder: options.recorder,
    spans: options.spans,
    approvals: options.approvals,
  };
}

function toInputLimits({ maxInput, maxValues }: ExecutorOptions): InputLimits {
  const { size, values, depth } = DEFAULT_INPUT_LIMITS;
  return {
    size: maxInput ?? size,
    get values() {
      return (typeof maxValues === 'function' ? maxValues() : maxValues) ?? values;
    },
    depth,
  };
}

/** Returns a function that returns the redactor, rebuilt only when the list of secrets has changed. */
function toRedactor(given: NonNullable<ExecutorOptions['secrets']>): () => Redactor {
  if (typeof given !== 'function') {
    const redactor = new Redactor(given);
    return () => redactor;
  }
  let known: readonly string[] = [];
  let made = new Redactor();
  return () => {
    const now = given();
    if (now instanceof Redactor) return now;
    if (now.length !== known.length || now.some((secret, index) => secret !== known[index])) {
      known = [...now];
      made = new Redactor(known);
    }
    return made;
  };
}
