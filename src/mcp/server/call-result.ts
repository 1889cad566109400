import { capForModel } from '../../tool/cap-for-model.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import { resultBlocks } from '../../export/result-blocks.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import { toMcpTools } from '../../export/mcp.ts';
import { type JsonSchemaReader, readJsonSchema } from '../../tool/schema/read-json-schema.ts';

/** What goes with a result. */
interface CallResultOptions {
  /** For tools that promised such data: whole, since clients hold it to the schema they were shown. */
  readonly structured?: unknown;
  /** Whether the client may read what is left out of a long text. */
  readonly readsOutputs: boolean;
}

/** The answer to `tools/call` as JSON; its text is what a model gets of the result. */
export function formatCallResult(given: ToolResult, { structured, readsOutputs }: CallResultOptions): string {
  const result = capForModel(given, readsOutputs ? {} : { keep: undefined });
  const { content, ok, text } = result;
  if (ok && content === undefined && structured === undefined && text !== '')
    return `{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`;
  return JSON.stringify({
    content: resultBlocks(result),
    ...(ok && structured !== undefined ? { structuredContent: structured } : {}),
    ...(ok ? {} : { isError: true }),
  });
}

type Checked = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly result: ToolResult };

const readers = new WeakMap<Tool, { readonly reader: JsonSchemaReader | undefined }>();

/** Holds a result to the output schema that clients were shown: they throw away what does not fit, text and all. */
export function checkOutput(tool: Tool, result: ToolResult): Checked {
  let known = readers.get(tool);
  if (known === undefined) readers.set(tool, (known = { reader: readShownSchema(tool) }));
  if (known.reader === undefined) return { ok: true, data: undefined };
  const { data } = result;
  const validation = isPlainObject(data) ? known.reader.validate(data) : undefined;
  if (validation?.ok === true) return { ok: true, data };
  const why = validation?.issues.map(({ path, message }) => `${path.join('.') || 'it'} ${message}`).join('; ');
  const { name } = tool.metadata;
  const message = `The answer of "${name}" is not what its output schema says (${why ?? 'it is no object'}). The tool has to be mended; this is what it answered: ${result.text}`;
  const error = new ToolError({ code: 'execution_failed', message, toolName: name });
  // What was left out of the answer is still where it was kept.
  const { meta, modelOutput } = result;
  return { ok: false, result: ToolResult.error(error).with({ meta, modelOutput }) };
}

/** The schema as it is listed; none where it could not be. */
function readShownSchema(tool: Tool): JsonSchemaReader | undefined {
  try {
    const schema = toMcpTools([tool]).tools[0]?.outputSchema;
    return schema === undefined ? undefined : readJsonSchema(schema, { defaults: false });
  } catch {
    return undefined;
  }
}
