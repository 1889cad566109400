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
}

const RECOVERABLE: ReadonlySet<ToolErrorCode> = new Set(['timeout', 'upstream_unavailable', 'busy']);

/** A failed call, or a tool that cannot be registered, as a typed error. Test `code`, not the message. */
export class ToolError extends Error {
  readonly code: ToolErrorCode;
  /** The tool concerned, `<unnamed>` when its name is empty; none for bad config and the like. */
  readonly toolName: string | undefined;
  readonly field: string | undefined;
  readonly reason: string | undefined;
  readonly issues: readonly ToolIssue[];
  /** True when the same call may succeed if it is tried again. */
  readonly recoverable: boolean;

  constructor(options: ToolErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ToolError';
    this.code = options.code;
    this.toolName = options.toolName?.trim() === '' ? '<unnamed>' : options.toolName;
    this.field = options.field;
    this.reason = options.reason;
    this.issues = options.issues ?? [];
    this.recoverable = options.recoverable ?? RECOVERABLE.has(options.code);
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
    };
  }
}

/** Thrown by `tool.execute`. `code` tells bad arguments from failing code; `cause` is what the code threw. */
export class ToolExecutionError extends ToolError {
  constructor(options: Omit<ToolErrorOptions, 'code'> & { readonly code?: ToolErrorCode }) {
    super({ code: 'execution_failed', ...options });
    this.name = 'ToolExecutionError';
  }
}

/** Thrown by `registry.register` when the name is taken. */
export class ToolAlreadyExistsError extends ToolError {
  /** A name that is free on this board. */
  readonly suggestion: string;

  constructor(options: { readonly toolName: string; readonly message: string; readonly suggestion: string }) {
    super({ code: 'already_exists', field: 'name', reason: 'already registered', ...options });
    this.name = 'ToolAlreadyExistsError';
    this.suggestion = options.suggestion;
  }
}
