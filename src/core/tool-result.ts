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
  /** Remarks for the caller, such as a deprecation. */
  readonly notices?: readonly string[];
}

interface ToolResultParts {
  readonly text: string;
  readonly data?: unknown;
  readonly content?: readonly ToolContent[] | undefined;
  readonly error?: ToolError | undefined;
  readonly meta?: ToolResultMeta;
}

const NO_META: ToolResultMeta = Object.freeze({});

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

  private constructor(parts: ToolResultParts) {
    this.ok = parts.error === undefined;
    this.text = parts.text;
    this.data = parts.data;
    this.content = parts.content;
    this.error = parts.error;
    this.meta = parts.meta ?? NO_META;
  }

  /** A plain text answer. */
  static text(text: string): ToolResult {
    return new ToolResult({ text });
  }

  /** A structured answer; its JSON is the text. Throws for what JSON cannot carry. */
  static json(data: unknown): ToolResult {
    return new ToolResult({ text: JSON.stringify(data) ?? 'null', data });
  }

  /** A failure: a sentence for the model, or a `ToolError` for a failure of a certain kind. */
  static error(failure: string | ToolError): ToolResult {
    const error = typeof failure === 'string' ? new ToolError({ code: 'execution_failed', message: failure }) : failure;
    return new ToolResult({ text: error.message, error });
  }

  /** An answer in pieces: text, images, audio, resources. */
  static content(content: readonly ToolContent[], data?: unknown): ToolResult {
    const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    return new ToolResult({ text: texts.join('\n'), data, content });
  }

  /** A copy with some parts replaced. */
  with(parts: Partial<ToolResultParts>): ToolResult {
    return new ToolResult({ ...this, ...parts });
  }

  succeeded(): boolean {
    return this.ok;
  }

  failed(): boolean {
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
