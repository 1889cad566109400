import { setImmediate as nextTurn } from 'node:timers/promises';
import { isHelperTool } from '../tool/tool-marks.ts';
import { isJsonOf } from '../tool/json.ts';
import { ToolContext } from '../tool/tool-context.ts';
import { copyError, ToolError } from '../tool/tool-error.ts';
import { type ModelOutput, NO_META, ToolResult, type ToolResultMeta } from '../tool/tool-result.ts';
import type { CallScope } from './call-scope.ts';
import type { Redactor } from '../guard/secrets/redactor.ts';
import { isNamed } from './to-tool-error.ts';
import { capOutput } from './cap-output.ts';
import { fitJson, type JsonFault } from '../tool/json-fit.ts';

/** Characters of a result that are below every limit for models. */
const SHORT = 500;

/** Finishes a result: truncates it and adds facts about the call. */
export function finishResult(
  scope: CallScope,
  result: ToolResult,
  limits: { readonly maxOutput: number; readonly maxMedia: number },
): ToolResult {
  const { toolName, callId, attempts, started, host } = scope;
  const isSmall = result.text.length <= limits.maxOutput && result.content === undefined;
  const capped = isSmall ? result : capOutput(result, { ...limits, keep: modelOutputOf(scope)?.keep }, toolName);
  const durationMs = host.settings.clock.now() - started;
  // With a second spread for the facts of the call, one with two hooks takes 4 % longer.
  const known: ToolResultMeta = { ...capped.meta, tool: toolName, callId, durationMs, attempts };
  const hasRemarks = scope.tool.metadata.deprecated === true || scope.answered !== undefined;
  const meta = hasRemarks ? { ...known, ...remarks(scope, known) } : known;
  const { text, data, content } = scope.answered?.edited === true ? explainEdits(capped) : capped;
  const isShort = text.length <= SHORT && content === undefined;
  const own = capped.modelOutput;
  const kept = isShort ? undefined : modelOutputOf(scope);
  const modelOutput = own === undefined ? kept : { ...kept, ...own };
  return ToolResult.from({ text, data, content, error: nameTool(capped.error, toolName), meta, modelOutput });
}

/** Returns the settings for showing a result to models; `undefined` if the executor has none. */
function modelOutputOf(scope: CallScope): ModelOutput | undefined {
  const { maxModelOutput, keepOutput } = scope.host.settings;
  if (maxModelOutput === undefined && keepOutput === undefined) return undefined;
  return {
    limit: typeof maxModelOutput === 'function' ? maxModelOutput() : maxModelOutput,
    // `output_read` results are not stored again; callers request fewer lines.
    keep:
      keepOutput === undefined || isHelperTool(scope.tool)
        ? undefined
        : (text) => {
            const given = keepOutput(text, ToolContext.from(scope.options.context));
            if (typeof given !== 'object') return given;
            if (given.kept !== undefined) scope.keeping = Promise.all([scope.keeping, given.kept]);
            return given.id;
          },
  };
}

/** Returns the pipeline's own remarks about a call. */
function remarks({ tool, answered }: CallScope, { notices = [] }: ToolResultMeta): ToolResultMeta {
  const { name, deprecated, replacedBy } = tool.metadata;
  const instead = replacedBy === undefined ? '' : `: use "${replacedBy}" instead`;
  const own = [
    ...(deprecated === true ? [`Tool "${name}" is deprecated${instead}.`] : []),
    ...(answered?.edited === true ? [EDITED] : []),
  ];
  return {
    ...(own.length === 0 ? {} : { notices: [...notices, ...own] }),
    ...(answered === undefined ? {} : { approval: answered }),
  };
}

/** Tells the model that its arguments were changed; otherwise it would draw wrong conclusions. */
function explainEdits({ text, data, content }: ToolResult): Pick<ToolResult, 'text' | 'data' | 'content'> {
  return {
    text: text === '' ? EDITED : `${text}\n\n${EDITED}`,
    data,
    content: content === undefined ? undefined : [...content, { type: 'text', text: EDITED }],
  };
}

const EDITED = 'The person who approved this call changed its arguments first; the result is for the changed ones.';

/** Adds the tool's name to errors without one, such as those of `ToolResult.error(text)`. */
function nameTool(error: ToolError | undefined, toolName: string): ToolError | undefined {
  return error === undefined || isNamed(error) ? error : copyError(error, { toolName });
}

/** Removes secrets from each part of a result. */
export function redactResult(result: ToolResult, redactor: Redactor): ToolResult {
  if (redactor.isEmpty) return result;
  const { error, meta } = result;
  const data = redactor.data(result.data);
  // JSON may escape a secret: if the text is JSON of data that had one, it is written again.
  const isData = data !== result.data && isJsonOf(result.text, result.data);
  return result.with({
    text: isData ? (JSON.stringify(data) ?? '') : redactor.cut(result.text),
    data,
    // Redaction changes only strings and numbers, not the shape.
    content: redactor.data(result.content),
    meta: meta === NO_META ? meta : redactor.data(meta),
    error: error === undefined ? undefined : redactError(error, redactor),
  });
}

/** Works like `redactResult`, but in slices, so that other calls can run meanwhile. */
export async function redactInSlices(result: ToolResult, redactor: Redactor): Promise<ToolResult> {
  const rest = redactResult(result.with({ text: '', data: undefined, content: undefined }), redactor);
  const data = await redactor.dataInSlices(result.data, nextTurn);
  const isData = data !== result.data && isJsonOf(result.text, result.data);
  return rest.with({
    text: isData ? (JSON.stringify(data) ?? '') : await redactor.cutInSlices(result.text, nextTurn),
    data,
    // Redaction changes only strings and numbers, not the shape.
    content: (await redactor.dataInSlices(result.content, nextTurn)) as ToolResult['content'],
  });
}

/** Characters of a result and values of its data that are searched for secrets at once. */
const LARGE_TEXT = 256 * 1024;
const LARGE_DATA = 2_000;

/** Returns true for a result whose search for secrets would delay other calls. */
export function isLarge({ text, data, content }: ToolResult): boolean {
  return text.length > LARGE_TEXT || !isWithin({ data, content }, { text: LARGE_TEXT, values: LARGE_DATA });
}

function isWithin(value: unknown, left: { text: number; values: number }): boolean {
  left.values--;
  if (typeof value === 'string') left.text -= value.length;
  if (left.values < 0 || left.text < 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((item) => isWithin(item, left));
}

/** Removes secrets from an error, and its cause, which may contain anything. */
export function redactError(error: ToolError, redactor: Redactor): ToolError {
  const { field, protocol } = error;
  return copyError(error, {
    // A name that no tool has may contain anything.
    toolName: error.toolName === undefined ? undefined : redactor.text(error.toolName),
    field: field === undefined ? undefined : redactor.text(field),
    // Redaction changes only strings and numbers, not the shape.
    protocol: redactor.data(protocol),
    message: redactor.cut(error.message),
    reason: error.reason === undefined ? undefined : redactor.text(error.reason),
    issues: error.issues.map(({ path, message }) => ({
      path: path.map((key) => (typeof key === 'string' ? redactor.text(key) : key)),
      message: redactor.text(message),
    })),
    cause: undefined,
  });
}

/** Converts a tool's return value to a result. Throws a `ToolError` for values that JSON cannot represent or would lose. */
export function shapeOutput(output: unknown, toolName: string): ToolResult {
  if (typeof output === 'string') return ToolResult.text(output);
  if (output === undefined) return ToolResult.text('(no output)');
  const isResult = output instanceof ToolResult;
  const fit = isResult ? fitResult(output) : fitJson(output);
  if (typeof fit === 'object') throw toError(fit, toolName);
  if (isResult) return output;
  try {
    const text = JSON.stringify(output);
    if (text !== undefined) return ToolResult.from({ text, data: output });
  } catch (cause) {
    throw unserialisable('it refuses to be serialised', { toolName, cause });
  }
  throw unserialisable('it refuses to be serialised', { toolName });
}

function fitResult({ data, content }: ToolResult): ReturnType<typeof fitJson> {
  const fit = data === undefined ? 'same' : fitJson(data);
  return typeof fit === 'object' || content === undefined ? fit : fitJson(content);
}

function toError({ path, what, remedy, isTooMuch }: JsonFault, toolName: string): ToolError {
  if (isTooMuch === true) {
    const message = `Tool "${toolName}" ran, but its result ${what}. ${remedy}`;
    return new ToolError({ code: 'output_too_large', message, toolName });
  }
  return unserialisable(`${path === '' ? 'the result' : `"${path}"`} ${what}`, { toolName, remedy });
}

function unserialisable(
  fault: string,
  { toolName, remedy, cause }: { readonly toolName: string; readonly remedy?: string; readonly cause?: unknown },
): ToolError {
  const advice = remedy === undefined || remedy === '' ? '' : ` ${remedy}`;
  const message = `Tool "${toolName}" ran, but its result cannot be sent as JSON: ${fault}. Its author must return text or plain JSON.${advice}`;
  return new ToolError({ code: 'execution_failed', message, toolName, cause });
}
