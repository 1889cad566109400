import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import { decodeOutput } from '../../platform/outputs/decode-output.ts';
import { describeOutput } from '../../platform/process/describe-exit.ts';
import type { ProcessExit } from '../../platform/process/process-request.ts';
import { stripEscapes } from '../../platform/outputs/strip-escapes.ts';
import { parseTable } from './parse-table.ts';
import type { OutputStyle } from './run-settings.ts';

/** Removes secrets from a text before it is parsed: afterwards their parts would not be found. */
type Redact = (text: string) => string;

/** Parses the output of a command as data; the text stays unchanged. Fails if it cannot be parsed. */
export function parseOutput({ stdout }: ProcessExit, style: OutputStyle, redact: Redact): ToolResult {
  if (style.type === 'json') return jsonResult(stdout, redact);
  const isCut = stdout.type === 'shortened';
  const decoded = decodeOutput(isCut ? stdout.head : stdout.bytes);
  if (decoded.type === 'binary') return refuse('text', describeOutput(stdout));
  const whole = redact(stripEscapes(decoded.text));
  // The last line of a cut text may be incomplete.
  const text = isCut ? whole.slice(0, whole.lastIndexOf('\n') + 1) : whole;
  const shown = describeOutput(stdout);
  const answer = (data: object, isWhole: boolean): ToolResult =>
    ToolResult.from({
      text: shown === '' ? '(no output)' : shown,
      data: isCut || !isWhole ? { ...data, truncated: true } : data,
    });
  if (style.type === 'table') {
    const { rows, isWhole } = parseTable(text, style);
    return answer({ rows }, isWhole);
  }
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  // A final line end starts no further line.
  if (lines.at(-1) === '') lines.pop();
  if (style.type === 'lines') return answer({ lines: lines.slice(0, style.maxRows) }, lines.length <= style.maxRows);
  const written = lines.filter((line) => line.trim() !== '');
  const rows: unknown[] = [];
  for (const line of written.slice(0, style.maxRows)) {
    const value = parseJson(line);
    if (value === undefined) return refuse('a JSON value on each line', line);
    rows.push(value);
  }
  return answer({ rows }, written.length <= style.maxRows);
}

function jsonResult(stdout: ProcessExit['stdout'], redact: Redact): ToolResult {
  if (stdout.type === 'shortened') {
    const { size, stored } = stdout;
    const where =
      stored === undefined ? '' : ` It is kept: read it with output_read or output_search, id "${stored.id}".`;
    const text = `The command printed ${size.toLocaleString('en-US')} bytes of JSON, more than its max_output.${where}`;
    return ToolResult.error(new ToolError({ code: 'output_too_large', message: text }));
  }
  const decoded = decodeOutput(stdout.bytes);
  const value = decoded.type === 'text' ? parseJson(decoded.text) : undefined;
  if (value === undefined) return refuse('JSON', redact(describeOutput(stdout)));
  const { text, data } = ToolResult.json(value);
  return ToolResult.from({ text, data, meta: { isStructured: true } });
}

/** Parses a JSON value; `undefined` if it is invalid. */
function parseJson(text: string): unknown {
  try {
    // JSON has no `undefined`.
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `printed` is already redacted: half of a secret would not be found later. */
function refuse(wanted: string, printed: string): ToolResult {
  const shown = printed.slice(0, 500);
  const message = `The command should have printed ${wanted} but printed something else: ${shown === '' ? '(no output)' : shown}`;
  return ToolResult.error(new ToolError({ code: 'execution_failed', message }));
}
