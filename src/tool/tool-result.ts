import type { AnsweredCall } from './calls/call-approval.ts';
import { ToolError } from './tool-error.ts';

/** A piece of a result that is more than text, in MCP's shapes. */
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

/** What the pipeline knows about a finished call. */
export interface ToolResultMeta {
  readonly tool?: string;
  readonly callId?: string;
  readonly durationMs?: number;
  /** How often the tool ran; more than 1 after retries. */
  readonly attempts?: number;
  /** Set when the text was shortened: characters before and after, and the id by which `output_read` reads the whole. */
  readonly truncated?: { readonly from: number; readonly to: number; readonly id?: string };
  /** The HTTP status a server answered with. */
  readonly status?: number;
  /** Set when the text says all that the data does, in fewer words: where both would be sent, only the text is. */
  readonly asText?: true;
  /** Who said yes to the call, where a person was asked, and whether they changed its arguments. */
  readonly approval?: AnsweredCall;
  /** Remarks for the caller, such as a deprecation. */
  readonly notices?: readonly string[];
  /** What the tool tells MCP clients besides the content, as `_meta` of the result. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Set when MCP clients get the data as `structuredContent` without an output schema too. */
  readonly isStructured?: true;
}

/** How models get a result. */
export interface ModelOutput {
  /** Characters. Default: 25,000. */
  readonly limit?: number | undefined;
  /** Keeps a whole text for the caller who made the call, and gives the id to read it by; nothing when it cannot. */
  readonly keep?: ((text: string) => string | undefined) | undefined;
  /** Takes escape sequences, tags and turned directions out of the texts first. */
  readonly stripsDeceiving?: boolean | undefined;
}

/** What a result is made of. */
export interface ToolResultParts {
  /** What the model reads. */
  readonly text: string;
  /** The tool's own output where it is more than text; left out when there is an `error`. */
  readonly data?: unknown;
  /** The answer in pieces, where it is more than one text. */
  readonly content?: readonly ToolContent[] | undefined;
  /** What went wrong: its presence makes the result a failure. */
  readonly error?: ToolError | undefined;
  /** What is known about the call. */
  readonly meta?: ToolResultMeta;
  /** How models get it; the pipeline knows. */
  readonly modelOutput?: ModelOutput | undefined;
}

/** What every result has, whether the call succeeded or failed. */
export interface ToolResultBase {
  /** What the model reads. */
  readonly text: string;
  /** The answer in pieces (text, images, audio, resources), where it is more than one text. */
  readonly content: readonly ToolContent[] | undefined;
  /** What is known about the call. */
  readonly meta: ToolResultMeta;
  /** How models get it: at most so much of its text, the rest kept for the caller. */
  readonly modelOutput: ModelOutput | undefined;
  /** A copy with some parts replaced. */
  with(parts: Partial<ToolResultParts>): ToolResult;
  /** Tells whether the call succeeded, as `ok` does. */
  succeeded(): this is { readonly ok: true };
  /** Tells whether the call failed. */
  failed(): this is { readonly ok: false };
  /** `{ text, is_error }`, plus `data`, `content` and `error` where present. */
  toJSON(): Record<string, unknown>;
}

/** The result of a call that succeeded. */
export interface ToolSuccess<T = unknown> extends ToolResultBase {
  readonly ok: true;
  /** The tool's own output where it is more than text; `undefined` for a text. */
  readonly data: T;
  readonly error: undefined;
}

/** The result of a call that failed. */
export interface ToolFailure extends ToolResultBase {
  readonly ok: false;
  readonly data: undefined;
  /** What went wrong, with a code. */
  readonly error: ToolError;
}

/**
 * How a call ended: `ok` tells success, with the tool's `data`, from failure, with a typed `error`.
 *
 * @example
 * const result = await registry.call('add', { a: 1, b: 2 });
 * if (result.ok) console.log(result.data);
 * else console.error(result.error.code, result.text);
 */
export type ToolResult<T = unknown> = ToolSuccess<T> | ToolFailure;

/** The makers of results, and `instanceof` for results of any copy of this package. */
export interface ToolResultMakers {
  /** A plain text answer. */
  text(text: string): ToolSuccess<undefined>;
  /** A structured answer; its JSON is the text. Throws for what JSON cannot carry. */
  json<T>(data: T): ToolSuccess<T>;
  /** A failure: a sentence for the model, or a `ToolError` for a failure of a certain kind. */
  error(failure: string | ToolError): ToolFailure;
  /** An answer in pieces: text, images, audio, resources. */
  content<T = undefined>(content: readonly ToolContent[], data?: T): ToolSuccess<T>;
  /** A result from its parts; it failed when there is an `error`. */
  from<T>(parts: ToolResultParts & { readonly data: T; readonly error?: undefined }): ToolSuccess<T>;
  from(parts: ToolResultParts): ToolResult;
  /** Tells whether a value is a result, also one that another copy of this package made. */
  [Symbol.hasInstance](value: unknown): value is ToolResult;
}

/** The meta of a result that has not been through a call. */
export const NO_META: ToolResultMeta = Object.freeze({});

const NO_PARTS: Omit<ToolResultParts, 'text' | 'data'> = Object.freeze({});

/** What every result carries, in every copy of this package. */
const BRAND = Symbol.for('pegboard.ToolResult');

// One shape for both outcomes, so that calls stay fast. `ok`, `data` and `error` are set together in the constructor, which the
// compiler cannot see: hence `as` in the makers.
export const ToolResult: ToolResultMakers = class ToolResult implements ToolResultBase {
  readonly ok: boolean;
  readonly text: string;
  readonly data: unknown;
  readonly content: readonly ToolContent[] | undefined;
  readonly error: ToolError | undefined;
  readonly meta: ToolResultMeta;
  // Private, so that a result is told and compared by what it says.
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
    return {
      text: this.text,
      is_error: !this.ok,
      ...(this.data === undefined ? {} : { data: this.data }),
      ...(this.content === undefined ? {} : { content: this.content }),
      ...(this.error === undefined ? {} : { error: this.error.toJSON() }),
    };
  }
};
