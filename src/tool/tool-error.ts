/** All error codes of failed calls. */
export const TOOL_ERROR_CODES = [
  'invalid_arguments',
  'execution_failed',
  'permission_denied',
  'approval_required',
  'not_found',
  'already_exists',
  'timeout',
  'cancelled',
  'output_too_large',
  'upstream_unavailable',
  'outcome_unknown',
  'busy',
  'invalid_config',
] as const;

/** The code of a `ToolError`: a closed union. */
export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number];

/** A fault in the arguments, with its path. */
export interface ToolIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A protocol error with which another MCP server answered a call. */
export interface ProtocolError {
  /** The JSON-RPC or MCP code, such as -32042. */
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Options of a `ToolError`. */
export interface ToolErrorOptions {
  /** The code of the error. */
  readonly code: ToolErrorCode;
  /** Says what went wrong and what to change, for a model or a person. */
  readonly message: string;
  /** The tool concerned, if any. */
  readonly toolName?: string | undefined;
  /** The original error for logs. It is never sent anywhere. */
  readonly cause?: unknown;
  /** For `invalid_arguments`: the argument at fault, as a dotted path. */
  readonly field?: string | undefined;
  /** For `invalid_arguments`: the rule it breaks. */
  readonly reason?: string | undefined;
  /** For `invalid_arguments`: all faults. */
  readonly issues?: readonly ToolIssue[] | undefined;
  /** True when a retry of the same call may succeed. */
  readonly recoverable?: boolean | undefined;
  /** The server's own error, which MCP clients receive. */
  readonly protocol?: ProtocolError | undefined;
  /** For `approval_required`: the id of the question that a person must answer first, if the board stores it. */
  readonly approvalId?: string | undefined;
  /** For `permission_denied`: the page where the user logs in before a retry. */
  readonly loginUrl?: string | undefined;
}

const RECOVERABLE: ReadonlySet<ToolErrorCode> = new Set(['timeout', 'upstream_unavailable', 'busy']);

/** Names a class of errors in every copy of this package. */
export const ERROR_CLASS: unique symbol = Symbol.for('pegboard.errorClass');

/**
 * A failed call, or a tool that cannot be registered, as a typed error. Test `code`, not the message. `instanceof` also works for errors of
 * other copies of this package.
 *
 * @example
 * const share = defineTool({
 *   name: 'share',
 *   description: 'Divide an amount among people.',
 *   schema: z.object({ amount: z.number(), people: z.int() }),
 *   execute({ amount, people }) {
 *     if (people < 1) throw new ToolError({ code: 'invalid_arguments', field: 'people', message: 'Give at least one person.' });
 *     return { each: amount / people };
 *   },
 * });
 */
export class ToolError extends Error {
  /** @internal */
  static readonly [ERROR_CLASS]: string = 'ToolError';

  readonly code: ToolErrorCode;
  /** The tool concerned; `<unnamed>` when its name is empty, `undefined` for bad config and similar errors. */
  readonly toolName: string | undefined;
  readonly field: string | undefined;
  readonly reason: string | undefined;
  readonly issues: readonly ToolIssue[];
  /** True when a retry of the same call may succeed. */
  readonly recoverable: boolean;
  /** The protocol error of another MCP server, if the call failed with one. */
  readonly protocol: ProtocolError | undefined;
  /** The id of the question that a person must answer first, if the board stores it. Pass it to `board.approvals`. */
  readonly approvalId: string | undefined;
  /** The page where the user can log in to make the call succeed. */
  readonly loginUrl: string | undefined;

  constructor(options: ToolErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ToolError';
    this.code = options.code;
    this.toolName = options.toolName?.trim() === '' ? '<unnamed>' : options.toolName;
    this.field = options.field;
    this.reason = options.reason;
    this.issues = options.issues ?? [];
    this.recoverable = options.recoverable ?? RECOVERABLE.has(options.code);
    this.protocol = options.protocol;
    this.approvalId = options.approvalId;
    this.loginUrl = options.loginUrl;
  }

  /** Returns true for errors of this class, including those of another copy of this package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    if (!(value instanceof Error) || !Object.hasOwn(this, ERROR_CLASS)) return false;
    // It comes from another copy: one of its classes has the same name there.
    for (let made: unknown = value.constructor; typeof made === 'function'; made = Object.getPrototypeOf(made))
      if (Object.hasOwn(made, ERROR_CLASS) && Reflect.get(made, ERROR_CLASS) === this[ERROR_CLASS]) return true;
    return false;
  }

  /** Returns plain data for logs and the wire, without stack and cause. */
  toJSON(): Record<string, unknown> {
    const { code, message, toolName: tool, field, reason, recoverable, protocol, approvalId, loginUrl } = this;
    const issues = this.issues.length === 0 ? undefined : this.issues;
    const parts = { code, message, tool, field, reason, issues, recoverable, protocol, approvalId, loginUrl };
    return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
  }
}

export function copyError(error: ToolError, changes: Partial<ToolErrorOptions>): ToolError {
  const { code, message, toolName, field, reason, issues, recoverable, protocol, approvalId, loginUrl, cause } = error;
  const details = { field, reason, issues, recoverable, protocol, approvalId, loginUrl, cause };
  return new ToolError({ code, message, toolName, ...details, ...changes });
}

/** Thrown by `tool.execute`. `code` distinguishes bad arguments from failing code; `cause` is the original error. */
export class ToolExecutionError extends ToolError {
  /** @internal */
  static override readonly [ERROR_CLASS]: string = 'ToolExecutionError';

  constructor(options: Omit<ToolErrorOptions, 'code'> & { readonly code?: ToolErrorCode }) {
    super({ code: 'execution_failed', ...options });
    this.name = 'ToolExecutionError';
  }
}

/** Thrown by `registry.register` when the name is taken. */
export class ToolAlreadyExistsError extends ToolError {
  /** @internal */
  static override readonly [ERROR_CLASS]: string = 'ToolAlreadyExistsError';

  /** A free name on this board. */
  readonly suggestion: string;

  constructor(options: { readonly toolName: string; readonly message: string; readonly suggestion: string }) {
    super({ code: 'already_exists', field: 'name', reason: 'already registered', ...options });
    this.name = 'ToolAlreadyExistsError';
    this.suggestion = options.suggestion;
  }
}
