import { formatPath } from '../../tool/texts/explain-issues.ts';
import { capForModel } from '../../tool/cap-for-model.ts';
import { type ToolContent, ToolResult } from '../../tool/tool-result.ts';
import { serverFactsOf } from '../../tool/server-words.ts';
import { resultBlocks } from '../../export/result-blocks.ts';
import { isPlainObject } from '../../tool/json.ts';
import { toJsonValue } from '../../tool/json-fit.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import { toMcpTools } from '../../export/mcp.ts';
import type { Answer } from './request-scope.ts';
import { type JsonSchemaReader, readJsonSchema } from '../../tool/schema/read-json-schema.ts';

/** Options of a call's result. */
interface CallResultOptions {
  /** For tools that promised such data: whole, since clients hold it to the schema they were shown. */
  readonly structured?: unknown;
  /** True when the client may read the omitted part of a long text. */
  readonly readsOutputs: boolean;
}

/** The answer to `tools/call`, as JSON where it can be; its text is what a model gets of the result. */
export function formatCallResult(given: ToolResult, { structured, readsOutputs }: CallResultOptions): Answer {
  const result = capForModel(given, readsOutputs ? {} : { keep: undefined });
  const { content, ok, text, meta } = result;
  const data = structured ?? (meta.isStructured === true ? toStructured(result.data) : undefined);
  const { _meta } = meta;
  if (ok && content === undefined && data === undefined && _meta === undefined && text !== '')
    return `{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`;
  const answer = {
    content: ok ? resultBlocks(result) : failureBlocks(result),
    ...(ok && data !== undefined ? { structuredContent: data } : {}),
    ...(ok ? {} : { isError: true }),
  };
  // In the newer era the server adds to `_meta` itself.
  return _meta === undefined ? JSON.stringify(answer) : { ...answer, _meta };
}

/** Structured content is an object: what is none stands in one. */
function toStructured(data: unknown): Readonly<Record<string, unknown>> | undefined {
  if (data === undefined) return undefined;
  return isPlainObject(data) ? data : { result: data };
}

/** Returns the content of a failed call, in pieces where the tool gave some; other models get its text alone. */
function failureBlocks(result: ToolResult): readonly ToolContent[] {
  const { text, content = [] } = result;
  const written = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return content.length > 0 && written === text ? content : resultBlocks(result);
}

type Checked = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly result: ToolResult };

const readers = new WeakMap<Tool, { readonly reader: JsonSchemaReader | undefined }>();

/** Holds a result to the output schema that clients were shown: they throw away what does not fit, text and all. */
export function checkOutput(tool: Tool, result: ToolResult): Checked {
  let known = readers.get(tool);
  if (known === undefined) readers.set(tool, (known = { reader: readShownSchema(tool) }));
  if (known.reader === undefined) return { ok: true, data: undefined };
  // Clients hold what they are sent to the schema: a Date is a text by then.
  const data = toJsonValue(result.data);
  const validation = isPlainObject(data) ? known.reader.validate(data) : undefined;
  if (validation?.ok === true) return { ok: true, data };
  const why = validation?.issues
    .map(({ path, message }) => `${path.length === 0 ? 'it' : formatPath(path)} ${message}`)
    .join('; ');
  const { name } = tool.metadata;
  const message = `The answer of "${name}" is not what its output schema says (${why ?? 'it is no object'}). The tool has to be mended; this is what it answered: ${result.text}`;
  const error = new ToolError({ code: 'execution_failed', message, toolName: name });
  // The omitted part of the answer is still stored.
  const { meta, modelOutput } = result;
  return { ok: false, result: ToolResult.error(error).with({ meta, modelOutput }) };
}

/** The schema as it is listed; none where it could not be. */
function readShownSchema(tool: Tool): JsonSchemaReader | undefined {
  try {
    // Of a server's schema that the board understands in part, it checks that part.
    const isPart = serverFactsOf(tool)?.said.outputSchema !== undefined;
    const schema = isPart ? tool.outputSchema : toMcpTools([tool]).tools[0]?.outputSchema;
    return schema === undefined ? undefined : readJsonSchema(schema, { defaults: false });
  } catch {
    return undefined;
  }
}
