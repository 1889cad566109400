import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import { describeLimit } from '../../platform/process/command-limits.ts';
import { decodeOutput } from '../../platform/outputs/decode-output.ts';
import { describeExit, describeOutput } from '../../platform/process/describe-exit.ts';
import type { ProcessExit, ProcessOutcome } from '../../platform/process/process-request.ts';
import type { JsonSchema } from '../../tool/json.ts';
import type { KindHost } from '../kind.ts';
import type { OutputStyle, RunSettings } from './run-settings.ts';

/** What a command's end means for the call: its output, or an error that says what it wrote and how it exited. */
export async function commandResult(
  outcome: ProcessOutcome,
  running: Pick<RunSettings, 'output' | 'exitCodes' | 'limits'>,
  { redact }: Pick<KindHost, 'redact'>,
): Promise<ToolResult> {
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
  const { output } = running;
  const isEmpty = outcome.stdout.type === 'whole' && outcome.stdout.bytes.length === 0;
  // A code that means something may say all that there is.
  const isParsed = output !== undefined && !(output.type === 'json' && isEmpty && meaning !== undefined);
  const result = isParsed
    ? (await import('./parse-output.ts')).parseOutput(outcome, output, redact)
    : (binaryResult(outcome) ?? textResult(outcome));
  if (meaning === undefined || result.failed()) return result;
  const told = `[exit code ${outcome.code}: ${meaning}]`;
  return result.with({ text: result.text === '(no output)' ? told : `${result.text}\n${told}` });
}

function textResult(outcome: ProcessExit): ToolResult {
  const text = describeOutput(outcome.stdout);
  return ToolResult.text(text === '' ? '(no output)' : text);
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

/** What a tool promises of its data, where its output is parsed; nothing for JSON that its entry does not describe. */
export function outputSchemaOf(output: OutputStyle | undefined): { outputSchema?: JsonSchema } {
  if (output === undefined) return {};
  if (output.type === 'json') return output.schema === undefined ? {} : { outputSchema: output.schema };
  const [name, items] =
    output.type === 'lines'
      ? ['lines', { type: 'string' }]
      : ['rows', output.type === 'jsonl' ? {} : { type: 'object', additionalProperties: { type: 'string' } }];
  return {
    outputSchema: {
      type: 'object',
      properties: {
        [name]: { type: 'array', items },
        truncated: { type: 'boolean', description: 'Whether more was printed' },
      },
      required: [name],
      additionalProperties: false,
    },
  };
}

/** The data of a tool that had nothing to run. */
export function emptyData(output: OutputStyle | undefined): object | undefined {
  if (output === undefined || output.type === 'json') return undefined;
  return output.type === 'lines' ? { lines: [] } : { rows: [] };
}
