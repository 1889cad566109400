import type { JsonSchema } from '../../tool/json.ts';
import type { ToolRisk } from '../../tool/tool-metadata.ts';

/** One request of an http tool, with `{{placeholders}}` for its arguments. */
export interface HttpToolRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** One placeholder, or a placeholder for each key. */
  readonly body?: string | Readonly<Record<string, string>>;
}

/** An http tool as a config file holds it: plain data, ready to be written as YAML. */
export interface HttpToolEntry {
  readonly id: string;
  readonly description: string;
  readonly type: 'http';
  /** JSON Schema 2020-12 of all parameters and the body together. */
  readonly schema: JsonSchema;
  readonly requests: readonly HttpToolRequest[];
  readonly tags: readonly string[];
  readonly risk: ToolRisk;
}
