/** Every way a call can fail. */
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

/** One of the ways a call can fail. */
export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number];

/** One thing that is wrong with the arguments, and where. */
export interface ToolIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** An error of the protocol that another MCP server answered a call with. */
export interface ProtocolError {
  /** The code of JSON-RPC or MCP, such as -32042. */
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What a `ToolError` is made from. */
export interface ToolErrorOptions {
  /** The way in which the call failed. */
  readonly code: ToolErrorCode;
  /** What went wrong and what to change, for a model or a person to read. */
  readonly message: string;
  /** The tool concerned, where there is one. */
  readonly toolName?: string | undefined;
  /** What was thrown below, for logs; it is never sent anywhere. */
  readonly cause?: unknown;
  /** For `invalid_arguments`: the argument at fault, as a dotted path. */
  readonly field?: string | undefined;
  /** For `invalid_arguments`: the rule it breaks. */
  readonly reason?: string | undefined;
  /** For `invalid_arguments`: everything that is wrong. */
  readonly issues?: readonly ToolIssue[] | undefined;
  /** Whether the same call may succeed when tried again. */
  readonly recoverable?: boolean | undefined;
  /** The server's own error, where the call failed with one: MCP clients get that. */
  readonly protocol?: ProtocolError | undefined;
  /** For `approval_required`: the question that a person has to answer first, where the board keeps it. */
  readonly approvalId?: string | undefined;
  /** For `permission_denied`: where the user of the call logs in, so that it can be made again. */
  readonly loginUrl?: string | undefined;
}

const RECOVERABLE: ReadonlySet<ToolErrorCode> = new Set(['timeout', 'upstream_unavailable', 'busy']);

/** Where a class of errors says what it is called in every copy of this package. */
export const ERROR_CLASS: unique symbol = Symbol.for('pegboard.errorClass');

/**
 * A failed call, or a tool that cannot be registered, as a typed error. Test `code`, not the message. `instanceof` knows the errors
 * of any copy of this package.
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
  /** The tool concerned, `<unnamed>` when its name is empty; none for bad config and the like. */
  readonly toolName: string | undefined;
  readonly field: string | undefined;
  readonly reason: string | undefined;
  readonly issues: readonly ToolIssue[];
  /** True when the same call may succeed if it is tried again. */
  readonly recoverable: boolean;
  /** What another MCP server answered, where the call failed with an error of the protocol. */
  readonly protocol: ProtocolError | undefined;
  /** The question that a person has to answer first, where the board keeps it: `board.approvals` has it under this id. */
  readonly approvalId: string | undefined;
  /** Where the user of the call logs in, where that would let it through. */
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

  /** Tells whether an error is one of this class, also one that another copy of this package made. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    if (!(value instanceof Error) || !Object.hasOwn(this, ERROR_CLASS)) return false;
    // Made by another copy: one of the classes that it comes from has the same name there.
    for (let made: unknown = value.constructor; typeof made === 'function'; made = Object.getPrototypeOf(made))
      if (Object.hasOwn(made, ERROR_CLASS) && Reflect.get(made, ERROR_CLASS) === this[ERROR_CLASS]) return true;
    return false;
  }

  /** Plain data for logs and the wire: no stack, no cause. */
  toJSON(): Record<string, unknown> {
    return {
      code: this.code,
      message: this.message,
      ...(this.toolName === undefined ? {} : { tool: this.toolName }),
      ...(this.field === undefined ? {} : { field: this.field }),
      ...(this.reason === undefined ? {} : { reason: this.reason }),
      ...(this.issues.length === 0 ? {} : { issues: this.issues }),
      recoverable: this.recoverable,
      ...(this.protocol === undefined ? {} : { protocol: this.protocol }),
      ...(this.approvalId === undefined ? {} : { approvalId: this.approvalId }),
      ...(this.loginUrl === undefined ? {} : { loginUrl: this.loginUrl }),
    };
  }
}

/** Thrown by `tool.execute`. `code` tells bad arguments from failing code; `cause` is what the code threw. */
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

  /** A name that is free on this board. */
  readonly suggestion: string;

  constructor(options: { readonly toolName: string; readonly message: string; readonly suggestion: string }) {
    super({ code: 'already_exists', field: 'name', reason: 'already registered', ...options });
    this.name = 'ToolAlreadyExistsError';
    this.suggestion = options.suggestion;
  }
}
