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

interface CallResultOptions {
  /** The data that the tool's output schema promises. It is not truncated: clients validate it. */
  readonly structured?: unknown;
  readonly readsOutputs: boolean;
}

/** Formats the answer to `tools/call`, as JSON if possible; its text is what a model gets of the result. */
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
  // For stateless requests the server adds to `_meta`.
  return _meta === undefined ? JSON.stringify(answer) : { ...answer, _meta };
}

/** Structured content must be an object: other data is wrapped in one. */
function toStructured(data: unknown): Readonly<Record<string, unknown>> | undefined {
  if (data === undefined) return undefined;
  return isPlainObject(data) ? data : { result: data };
}

/** Returns the content of a failed call, in the tool's own blocks if they match its text. */
function failureBlocks(result: ToolResult): readonly ToolContent[] {
  const { text, content = [] } = result;
  const written = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return content.length > 0 && written === text ? content : resultBlocks(result);
}

type Checked = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly result: ToolResult };

const readers = new WeakMap<Tool, { readonly reader: JsonSchemaReader | undefined }>();

/** Validates a result against the output schema that clients see: they discard results that do not match. */
export function checkOutput(tool: Tool, result: ToolResult): Checked {
  let known = readers.get(tool);
  if (known === undefined) readers.set(tool, (known = { reader: readShownSchema(tool) }));
  if (known.reader === undefined) return { ok: true, data: undefined };
  // Validates what clients receive: a `Date` is a text by then.
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

/** Returns the schema as it is listed; `undefined` if it could not be listed. */
function readShownSchema(tool: Tool): JsonSchemaReader | undefined {
  try {
    // A server's schema may be understood only in part; that part is checked.
    const isPart = serverFactsOf(tool)?.said.outputSchema !== undefined;
    const schema = isPart ? tool.outputSchema : toMcpTools([tool]).tools[0]?.outputSchema;
    return schema === undefined ? undefined : readJsonSchema(schema, { defaults: false });
  } catch {
    return undefined;
  }
}
