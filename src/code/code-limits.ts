import { MOST_VALUES } from '../tool/json-fit.ts';
import { measureJson } from '../tool/input-limits.ts';
import { ToolError } from '../tool/tool-error.ts';

/** Limits of a program. */
export interface CodeLimits {
  /** Milliseconds a program may run, including the calls it waits for. Default: 120,000. */
  readonly time: number;
  /** Milliseconds of computing in the program itself. Default: 5,000. */
  readonly compute: number;
  /** Bytes of memory, including values in transit to and from tools. Default: 67,108,864. */
  readonly memory: number;
  /** Calls of tools and of the board's other functions. Default: 1,000. */
  readonly calls: number;
  /** Calls that run at once; further ones wait. Default: 10. */
  readonly parallel: number;
  /** Characters of the returned value as JSON. Default: 1,048,576. */
  readonly output: number;
  /** Characters of `console.log`; further output is dropped. Default: 20,000. */
  readonly logs: number;
  /** Characters of code. Default: 200,000. */
  readonly code: number;
}

const DEFAULT_LIMITS: CodeLimits = {
  time: 120_000,
  compute: 5_000,
  memory: 67_108_864,
  calls: 1_000,
  parallel: 10,
  output: 1_048_576,
  logs: 20_000,
  code: 200_000,
};

/** Milliseconds to check a program and clean up after it, in addition to its run time. */
const SPARE_TIME = 30_000;

/** Returns the milliseconds that a call of a tool which runs programs may take. */
export function callTime({ time }: Pick<CodeLimits, 'time'>): number {
  return time + SPARE_TIME;
}

const LEAST: CodeLimits = {
  ...DEFAULT_LIMITS,
  time: 1,
  compute: 1,
  memory: 2_097_152,
  calls: 0,
  parallel: 1,
  output: 1,
  logs: 0,
  code: 1,
};
/** Upper bounds of the settings: memory fits 32-bit WebAssembly with some reserve, time is one day. */
const MOST: CodeLimits = {
  time: 86_400_000,
  compute: 600_000,
  memory: 1_073_741_824,
  calls: 1_000_000,
  parallel: 1_000,
  output: 268_435_456,
  logs: 16_777_216,
  code: 16_777_216,
};

/** Fills in defaults. Throws `invalid_arguments` for limits out of range. */
export function readLimits(given: Partial<CodeLimits> = {}): CodeLimits {
  const limits = { ...DEFAULT_LIMITS };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!isLimit(name)) throw badLimit(name, `is not a limit. Use: ${Object.keys(DEFAULT_LIMITS).join(', ')}`);
    if (!Number.isInteger(value) || value < LEAST[name] || value > MOST[name])
      throw badLimit(name, `must be a whole number from ${LEAST[name]} to ${MOST[name]}; got ${String(value)}`);
    limits[name] = value;
  }
  return limits;
}

function isLimit(name: string): name is keyof CodeLimits {
  return Object.hasOwn(DEFAULT_LIMITS, name);
}

function badLimit(name: string, reason: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message: `limits.${name} ${reason}.`, field: `limits.${name}` });
}

/** A limit that ends a program. */
export type BrokenLimit = Exclude<keyof CodeLimits, 'parallel' | 'logs'>;

/** Creates the error for an exceeded limit, with advice. Its `field` names the limit. */
export function limitError(limit: BrokenLimit, limits: CodeLimits): ToolError {
  const amount = limits[limit].toLocaleString('en-US');
  const field = `limits.${limit}`;
  switch (limit) {
    case 'time':
      return new ToolError({
        code: 'timeout',
        field,
        message: `The program ran longer than ${amount} ms, including waiting for its calls, and was stopped. Do less in one program, or run calls at once with Promise.all.`,
      });
    case 'compute':
      return new ToolError({
        code: 'timeout',
        field,
        message: `The program computed for longer than ${amount} ms and was stopped. Look for an endless loop, or let a tool do the heavy part.`,
      });
    case 'memory':
      return new ToolError({
        code: 'execution_failed',
        field,
        message: `The program needed more than ${amount} bytes of memory and was stopped. Keep only the fields you need, and work through long lists in parts.`,
      });
    case 'calls':
      return new ToolError({
        code: 'execution_failed',
        field,
        message: `The program made more than ${amount} calls and was stopped. Use a tool that takes many items at once, or do part of the work in each program.`,
      });
    case 'output':
      return new ToolError({
        code: 'output_too_large',
        field,
        message: `The program returned more than ${amount} characters of JSON. Return a summary, or only the fields you need.`,
      });
    case 'code':
      return new ToolError({
        code: 'invalid_arguments',
        field: 'code',
        message: `The code is longer than ${amount} characters. Give data as input, and keep the program short.`,
      });
  }
}

/** True when a returned JSON text has more values than a result may have; empty lists and objects count twice. */
export function holdsTooMuch(json: string): boolean {
  return measureJson(json, { values: MOST_VALUES }) !== undefined;
}

/** Creates the error for a program that returned more values than a result may have. */
export function tooMuchReturned(): ToolError {
  const most = MOST_VALUES.toLocaleString('en-US');
  const message = `The program returned more than ${most} values (keys and items). Return less: filter, count or summarize in the program.`;
  return new ToolError({ code: 'output_too_large', message });
}
