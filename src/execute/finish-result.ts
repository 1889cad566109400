import { ToolError } from '../core/tool-error.ts';
import type { ToolMetadata } from '../core/tool-metadata.ts';
import { NO_META, ToolResult, type ToolResultMeta } from '../core/tool-result.ts';
import type { CallScope } from './call-scope.ts';
import { redactCut, redactData, redactKnown } from './redact.ts';
import { capOutput } from './shape-output.ts';

interface Finish {
  readonly maxOutput: number;
  readonly secrets: readonly string[];
  readonly now: number;
}

/** The last step of a call: takes secrets out, shortens, and notes what is known about the call. */
export function finishResult(scope: CallScope, result: ToolResult, finish: Finish): ToolResult {
  const { toolName, callId, attempts, started } = scope;
  const { metadata } = scope.tool;
  const clean = finish.secrets.length === 0 ? result : redactResult(result, finish.secrets);
  const capped = capOutput(clean, finish.maxOutput, toolName);
  const call: ToolResultMeta = { tool: toolName, callId, durationMs: finish.now - started, attempts };
  const isPlain = capped.meta === NO_META && metadata.deprecated !== true;
  const meta = isPlain ? call : { ...capped.meta, ...call, ...deprecation(metadata) };
  const { text, data, content } = capped;
  return ToolResult.from({ text, data, content, error: nameTool(capped.error, toolName), meta });
}

function deprecation({ name, deprecated, replacedBy }: ToolMetadata): ToolResultMeta {
  if (deprecated !== true) return {};
  return {
    notices: [`Tool "${name}" is deprecated${replacedBy === undefined ? '' : `: use "${replacedBy}" instead`}.`],
  };
}

/** A tool that answers with `ToolResult.error(text)` need not say its own name. */
function nameTool(error: ToolError | undefined, toolName: string): ToolError | undefined {
  if (error === undefined || error.toolName !== '<unnamed>') return error;
  const { code, message, field, reason, issues, recoverable } = error;
  return new ToolError({ code, message, toolName, field, reason, issues, recoverable, cause: error.cause });
}

function redactResult(result: ToolResult, secrets: readonly string[]): ToolResult {
  const { error } = result;
  const data = redactData(result.data, secrets);
  // JSON may spell a secret otherwise than it is: where the text is the data, it is written anew.
  const isData = result.data !== undefined && isJsonOf(result.text, result.data);
  return result.with({
    text: isData ? (JSON.stringify(data) ?? '') : redactCut(redactKnown(result.text, secrets), secrets),
    data,
    // The blocks keep their shape: only strings change.
    content: redactData(result.content, secrets) as ToolResult['content'],
    error: error === undefined ? undefined : redactError(error, secrets),
  });
}

function isJsonOf(text: string, data: unknown): boolean {
  try {
    return text === JSON.stringify(data) || JSON.stringify(JSON.parse(text)) === JSON.stringify(data);
  } catch {
    return false;
  }
}

/** Without its cause, which may hold anything. */
function redactError(error: ToolError, secrets: readonly string[]): ToolError {
  const { code, toolName, field, recoverable } = error;
  return new ToolError({
    code,
    toolName,
    field,
    recoverable,
    message: redactKnown(error.message, secrets),
    reason: error.reason === undefined ? undefined : redactKnown(error.reason, secrets),
    issues: error.issues.map(({ path, message }) => ({ path, message: redactKnown(message, secrets) })),
  });
}
