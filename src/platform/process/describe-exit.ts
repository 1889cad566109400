import { decodeOutput, stripEscapes } from '../outputs/decode-output.ts';
import type { CapturedOutput } from '../outputs/output-capture.ts';
import type { ProcessOutcome } from './process-request.ts';

/**
 * Describes an outcome for a model: stdout, on failure also stderr and the exit code, `(no output)` for nothing. `meaning` explains the
 * exit code and marks it as a failure.
 */
export function describeExit(outcome: ProcessOutcome, meaning?: string): string {
  if (outcome.type === 'failed') return outcome.message;
  const { code, signal } = outcome;
  const text = describeOutput(outcome.stdout);
  if (code === 0 && meaning === undefined) return text === '' ? '(no output)' : text;
  const errors = describeOutput(outcome.stderr);
  const exit = meaning === undefined ? `[exit code: ${code}]` : `[exit code ${code}: ${meaning}]`;
  return [text, errors === '' ? '' : `[stderr]\n${errors}`, signal === null ? exit : `[killed by ${signal}]`]
    .filter((part) => part !== '')
    .join('\n');
}

/** Converts a stream to text without terminal sequences. A remark replaces omitted and binary bytes. */
export function describeOutput(output: CapturedOutput): string {
  if (output.type === 'whole') {
    const decoded = decodeOutput(output.bytes);
    return decoded.type === 'text'
      ? stripEscapes(decoded.text)
      : `[binary output: ${count(output.bytes.length)} bytes]`;
  }
  const { size, missing, stored } = output;
  const [head, tail] = [decodeOutput(output.head), decodeOutput(output.tail)];
  const advice = stored === undefined ? '' : `; read it with output_read or output_search, id "${stored.id}"`;
  return head.type === 'text' && tail.type === 'text'
    ? `${stripEscapes(head.text)}\n[${count(missing)} of ${count(size)} bytes left out here${advice}]\n${stripEscapes(tail.text)}`
    : `[binary output: ${count(size)} bytes${advice}]`;
}

function count(bytes: number): string {
  return bytes.toLocaleString('en-US');
}
