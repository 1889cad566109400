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
  /** Set when the text was shortened: characters before and after. */
  readonly truncated?: { readonly from: number; readonly to: number };
  /** The HTTP status a server answered with. */
  readonly status?: number;
  /** Set when the text says all that the data does, in fewer words: where both would be sent, only the text is. */
  readonly asText?: true;
  /** Remarks for the caller, such as a deprecation. */
  readonly notices?: readonly string[];
}

/** How models get a result. */
export interface ModelOutput {
  /** Characters. Default: 25,000. */
  readonly limit?: number | undefined;
  /** Keeps a whole text for the caller who made the call, and gives the id to read it by; nothing when it cannot. */
  readonly keep?: ((text: string) => string | undefined) | undefined;
}

/** What a result is made of. */
export interface ToolResultParts {
  readonly text: string;
  readonly data?: unknown;
  readonly content?: readonly ToolContent[] | undefined;
  readonly error?: ToolError | undefined;
  readonly meta?: ToolResultMeta;
  /** How models get it; the pipeline knows. */
  readonly modelOutput?: ModelOutput | undefined;
}

/** The meta of a result that has not been through a call. */
export const NO_META: ToolResultMeta = Object.freeze({});

const NO_PARTS: Omit<ToolResultParts, 'text' | 'data'> = Object.freeze({});

/** How a call ended: the text a model reads, structured data where there is any, or a typed error. */
export class ToolResult {
  readonly ok: boolean;
  /** What the model reads. */
  readonly text: string;
  /** The tool's own output where it is more than text. */
  readonly data: unknown;
  readonly content: readonly ToolContent[] | undefined;
  readonly error: ToolError | undefined;
  readonly meta: ToolResultMeta;
  // Private, so that a result is told and compared by what it says.
  readonly #modelOutput: ModelOutput | undefined;

  private constructor(text: string, data: unknown, rest: Omit<ToolResultParts, 'text' | 'data'>) {
    this.ok = rest.error === undefined;
    this.text = text;
    this.data = data;
    this.content = rest.content;
    this.error = rest.error;
    this.meta = rest.meta ?? NO_META;
    this.#modelOutput = rest.modelOutput;
  }

  /** How models get it: at most so much of its text, the rest kept for the caller. */
  get modelOutput(): ModelOutput | undefined {
    return this.#modelOutput;
  }

  /** A result from its parts; it failed when there is an `error`. */
  static from(parts: ToolResultParts): ToolResult {
    return new ToolResult(parts.text, parts.data, parts);
  }

  /** A plain text answer. */
  static text(text: string): ToolResult {
    return new ToolResult(text, undefined, NO_PARTS);
  }

  /** A structured answer; its JSON is the text. Throws for what JSON cannot carry. */
  static json(data: unknown): ToolResult {
    return new ToolResult(JSON.stringify(data) ?? 'null', data, NO_PARTS);
  }

  /** A failure: a sentence for the model, or a `ToolError` for a failure of a certain kind. */
  static error(failure: string | ToolError): ToolResult {
    const error = typeof failure === 'string' ? new ToolError({ code: 'execution_failed', message: failure }) : failure;
    return new ToolResult(error.message, undefined, { error });
  }

  /** An answer in pieces: text, images, audio, resources. */
  static content(content: readonly ToolContent[], data?: unknown): ToolResult {
    const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    return new ToolResult(texts.join('\n'), data, { content });
  }

  /** A copy with some parts replaced. */
  with(parts: Partial<ToolResultParts>): ToolResult {
    const { text, data, content, error, meta, modelOutput } = this;
    return ToolResult.from({ text, data, content, error, meta, modelOutput, ...parts });
  }

  succeeded(): this is ToolResult & { readonly ok: true; readonly error: undefined } {
    return this.ok;
  }

  failed(): this is ToolResult & { readonly ok: false; readonly error: ToolError } {
    return !this.ok;
  }

  /** `{ text, is_error }`, plus `data`, `content` and `error` where present. */
  toJSON(): Record<string, unknown> {
    return {
      text: this.text,
      is_error: !this.ok,
      ...(this.data === undefined ? {} : { data: this.data }),
      ...(this.content === undefined ? {} : { content: this.content }),
      ...(this.error === undefined ? {} : { error: this.error.toJSON() }),
    };
  }
}
