import type { AnsweredCall } from './calls/call-runtime.ts';
import { ToolError } from './tool-error.ts';

/** A content block of a result, as in MCP. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly description?: string;
      readonly mimeType?: string;
    }
  | {
      readonly type: 'resource';
      readonly resource: {
        readonly uri: string;
        readonly mimeType?: string;
        readonly text?: string;
        readonly blob?: string;
      };
    };

/** Facts about a finished call. */
export interface ToolResultMeta {
  readonly tool?: string;
  readonly callId?: string;
  readonly durationMs?: number;
  /** Number of times the tool ran; more than 1 after retries. */
  readonly attempts?: number;
  /** Set when the text was truncated: characters before and after, and the id for `output_read`. */
  readonly truncated?: { readonly from: number; readonly to: number; readonly id?: string };
  /** The HTTP status of a server's response. */
  readonly status?: number;
  /** Set when the text says everything in the data more briefly: only the text is sent where both would be. */
  readonly asText?: true;
  /** Details of the approval, if a person was asked. */
  readonly approval?: AnsweredCall;
  /** Remarks for the caller, such as a deprecation. */
  readonly notices?: readonly string[];
  /** The tool's `_meta` for MCP clients. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Set when MCP clients get the data as `structuredContent` even without an output schema. */
  readonly isStructured?: true;
}

/** Settings for showing a result to models. */
export interface ModelOutput {
  /** Maximum characters. Default: 25,000. */
  readonly limit?: number | undefined;
  /** Stores a full text for the caller and returns its id; nothing on failure. */
  readonly keep?: ((text: string) => string | undefined) | undefined;
  /** Removes escape sequences, tags and direction overrides from the texts first. */
  readonly stripsDeceiving?: boolean | undefined;
}

/** The parts of a result. */
export interface ToolResultParts {
  /** The text for the model. */
  readonly text: string;
  /** The tool's output if it is more than text. Ignored with an `error`. */
  readonly data?: unknown;
  /** The content blocks, if there is more than one text. */
  readonly content?: readonly ToolContent[] | undefined;
  /** Makes the result a failure. */
  readonly error?: ToolError | undefined;
  readonly meta?: ToolResultMeta;
  /** Set by the pipeline. */
  readonly modelOutput?: ModelOutput | undefined;
}

/** The common part of successes and failures. */
export interface ToolResultBase {
  /** The text for the model. */
  readonly text: string;
  /** The content blocks (text, images, audio, resources), if there is more than one text. */
  readonly content: readonly ToolContent[] | undefined;
  /** Facts about the call. */
  readonly meta: ToolResultMeta;
  /** Settings for showing the result to models. */
  readonly modelOutput: ModelOutput | undefined;
  /** Returns a copy with some parts replaced. */
  with(parts: Partial<ToolResultParts>): ToolResult;
  /** Returns true when the call succeeded, like `ok`. */
  succeeded(): this is { readonly ok: true };
  /** Returns true when the call failed. */
  failed(): this is { readonly ok: false };
  /** Returns `{ text, is_error }`, and `data`, `content` and `error` if present. */
  toJSON(): Record<string, unknown>;
}

/** The result of a call that succeeded. */
export interface ToolSuccess<T = unknown> extends ToolResultBase {
  readonly ok: true;
  /** The tool's output if it is more than text; `undefined` for a text. */
  readonly data: T;
  readonly error: undefined;
}

/** The result of a call that failed. */
export interface ToolFailure extends ToolResultBase {
  readonly ok: false;
  readonly data: undefined;
  /** The typed error. */
  readonly error: ToolError;
}

/**
 * The result of a call: `ok` is true for success, with the tool's `data`, and false for failure, with a typed `error`.
 *
 * @example
 * const result = await registry.call('add', { a: 1, b: 2 });
 * if (result.ok) console.log(result.data);
 * else console.error(result.error.code, result.text);
 */
export type ToolResult<T = unknown> = ToolSuccess<T> | ToolFailure;

/** Creates results. `instanceof` works for results of any copy of this package. */
export interface ToolResultMakers {
  /** Creates a text result. */
  text(text: string): ToolSuccess<undefined>;
  /** Creates a structured result with its JSON as the text. Throws for values that JSON cannot represent. */
  json<T>(data: T): ToolSuccess<T>;
  /** Creates a failure from a sentence for the model or a `ToolError`. */
  error(failure: string | ToolError): ToolFailure;
  /** Creates a result with content blocks: text, images, audio, resources. */
  content<T = undefined>(content: readonly ToolContent[], data?: T): ToolSuccess<T>;
  /** Creates a result from its parts; an `error` makes it a failure. */
  from<T>(parts: ToolResultParts & { readonly data: T; readonly error?: undefined }): ToolSuccess<T>;
  from(parts: ToolResultParts): ToolResult;
  /** Returns true for results, including those of another copy of this package. */
  [Symbol.hasInstance](value: unknown): value is ToolResult;
}

/** The meta of a result that did not come from a call. */
export const NO_META: ToolResultMeta = Object.freeze({});

const NO_PARTS: Omit<ToolResultParts, 'text' | 'data'> = Object.freeze({});

/** Marks results in every copy of this package. */
const BRAND = Symbol.for('pegboard.ToolResult');

// Both outcomes share one shape, which keeps calls fast. The compiler cannot see that the constructor sets `ok`, `data` and `error`
// together: hence `as` in the static methods.
export const ToolResult: ToolResultMakers = class ToolResult implements ToolResultBase {
  readonly ok: boolean;
  readonly text: string;
  readonly data: unknown;
  readonly content: readonly ToolContent[] | undefined;
  readonly error: ToolError | undefined;
  readonly meta: ToolResultMeta;
  // Private, so that results are compared and serialized without it.
  readonly #modelOutput: ModelOutput | undefined;

  private constructor(text: string, data: unknown, rest: Omit<ToolResultParts, 'text' | 'data'>) {
    const { error } = rest;
    this.ok = error === undefined;
    this.text = text;
    this.data = error === undefined ? data : undefined;
    this.content = rest.content;
    this.error = error;
    this.meta = rest.meta ?? NO_META;
    this.#modelOutput = rest.modelOutput;
  }

  get [BRAND](): true {
    return true;
  }

  get modelOutput(): ModelOutput | undefined {
    return this.#modelOutput;
  }

  static [Symbol.hasInstance](value: unknown): value is ToolSuccess | ToolFailure {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  static from<T>(parts: ToolResultParts): ToolSuccess<T> {
    return new ToolResult(parts.text, parts.data, parts) as ToolSuccess<T>;
  }

  static text(text: string): ToolSuccess<undefined> {
    return new ToolResult(text, undefined, NO_PARTS) as ToolSuccess<undefined>;
  }

  static json<T>(data: T): ToolSuccess<T> {
    return new ToolResult(JSON.stringify(data) ?? 'null', data, NO_PARTS) as ToolSuccess<T>;
  }

  static error(failure: string | ToolError): ToolFailure {
    const error = typeof failure === 'string' ? new ToolError({ code: 'execution_failed', message: failure }) : failure;
    return new ToolResult(error.message, undefined, { error }) as ToolFailure;
  }

  static content<T = undefined>(content: readonly ToolContent[], data?: T): ToolSuccess<T> {
    const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    return new ToolResult(texts.join('\n'), data, { content }) as ToolSuccess<T>;
  }

  with(parts: Partial<ToolResultParts>): ToolSuccess | ToolFailure {
    const { text, data, content, error, meta, modelOutput } = this;
    return ToolResult.from({ text, data, content, error, meta, modelOutput, ...parts });
  }

  succeeded(): this is { readonly ok: true } {
    return this.ok;
  }

  failed(): this is { readonly ok: false } {
    return !this.ok;
  }

  toJSON(): Record<string, unknown> {
    const parts = {
      text: this.text,
      is_error: !this.ok,
      data: this.data,
      content: this.content,
      error: this.error?.toJSON(),
    };
    return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
  }
};

export function byteCount(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor(((base64.length - padding) * 3) / 4);
}
