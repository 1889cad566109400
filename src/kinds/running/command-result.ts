import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import { describeLimit } from '../../platform/process/command-limits.ts';
import { decodeOutput } from '../../platform/outputs/decode-output.ts';
import { describeExit, describeOutput } from '../../platform/process/describe-exit.ts';
import type { ProcessExit, ProcessOutcome } from '../../platform/process/process-request.ts';
import type { RunSettings } from './run-settings.ts';

/** What a command's end means for the call: its output, or an error that says what it wrote and how it exited. */
export function commandResult(
  outcome: ProcessOutcome,
  running: Pick<RunSettings, 'output' | 'exitCodes' | 'limits'>,
): ToolResult {
  if (outcome.type === 'failed') {
    const code = outcome.reason === 'cancelled' ? 'cancelled' : 'execution_failed';
    return ToolResult.error(new ToolError({ code, message: outcome.message }));
  }
  const meaning = outcome.code === null ? undefined : running.exitCodes[outcome.code];
  if (typeof meaning === 'object' || (outcome.code !== 0 && meaning === undefined)) {
    const limit = running.limits && describeLimit(outcome, running.limits);
    const told = describeExit(outcome, meaning?.error);
    const message = limit === undefined ? told : `${told}\n${limit}`;
    return ToolResult.error(new ToolError({ code: 'execution_failed', message, recoverable: meaning?.retry ?? false }));
  }
  const result = running.output === 'json' ? jsonResult(outcome) : (binaryResult(outcome) ?? textResult(outcome));
  if (meaning === undefined) return result;
  const told = `[exit code ${outcome.code}: ${meaning}]`;
  return result.with({ text: result.text === '(no output)' ? told : `${result.text}\n${told}` });
}

function textResult(outcome: ProcessExit): ToolResult {
  const text = describeOutput(outcome.stdout);
  return ToolResult.text(text === '' ? '(no output)' : text);
}

function jsonResult(outcome: ProcessExit): ToolResult {
  if (outcome.stdout.type === 'whole') {
    const decoded = decodeOutput(outcome.stdout.bytes);
    try {
      if (decoded.type === 'text') return ToolResult.json(JSON.parse(decoded.text));
    } catch {
      // Told below, with what the command printed instead.
    }
  }
  if (outcome.stdout.type === 'shortened') {
    const { size, stored } = outcome.stdout;
    const where =
      stored === undefined ? '' : ` It is kept: read it with output_read or output_search, id "${stored.id}".`;
    const text = `The command printed ${size.toLocaleString('en-US')} bytes of JSON, more than its max_output.${where}`;
    return ToolResult.error(new ToolError({ code: 'output_too_large', message: text }));
  }
  const shown = describeOutput(outcome.stdout).slice(0, 500);
  const message = `The command was to print JSON and printed something else: ${shown === '' ? '(no output)' : shown}`;
  return ToolResult.error(new ToolError({ code: 'execution_failed', message }));
}

/** Bytes that are no text travel as base64 beside a remark. */
function binaryResult(outcome: ProcessExit): ToolResult | undefined {
  if (outcome.stdout.type !== 'whole') return undefined;
  const decoded = decodeOutput(outcome.stdout.bytes);
  if (decoded.type === 'text') return undefined;
  return ToolResult.content([
    { type: 'text', text: describeOutput(outcome.stdout) },
    {
      type: 'resource',
      resource: { uri: 'pegboard://output', mimeType: 'application/octet-stream', blob: decoded.base64 },
    },
  ]);
}
