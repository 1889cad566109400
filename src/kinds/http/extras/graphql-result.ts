import { formatPath } from '../../../tool/texts/explain-issues.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { ToolResult } from '../../../tool/tool-result.ts';
import type { HttpOutcome } from '../../../platform/http/http-messages.ts';

/** The most errors to report. */
const MAX_ERRORS = 10;

/** Creates the result of a GraphQL response; `undefined` if it is not one. */
export function graphqlResult({ status, body, notices }: HttpOutcome): ToolResult | undefined {
  if (body.type !== 'json' || !isPlainObject(body.value)) return undefined;
  const { data, errors } = body.value;
  const meta = { status, ...(notices.length === 0 ? {} : { notices }) };
  if (Array.isArray(errors) && errors.length > 0) {
    const told = errors.slice(0, MAX_ERRORS).map(describeError);
    const rest = errors.length > MAX_ERRORS ? [`and ${errors.length - MAX_ERRORS} more`] : [];
    const message = ['The server answered with errors:', ...[...told, ...rest].map((line) => `- ${line}`)].join('\n');
    const error = new ToolError({ code: 'execution_failed', message });
    // The model decides about data returned in spite of errors.
    const hasData = isPlainObject(data) && Object.values(data).some((value) => value !== null);
    const text = hasData ? `${message}\n\nIt also returned: ${JSON.stringify(data)}` : message;
    return ToolResult.from({ text, error, meta });
  }
  if (status >= 200 && status < 300 && data !== undefined && data !== null) return ToolResult.json(data).with({ meta });
  return undefined;
}

function describeError(error: unknown): string {
  if (!isPlainObject(error)) return JSON.stringify(error).slice(0, 500);
  const { message, path } = error;
  const steps: unknown[] = Array.isArray(path) ? path : [];
  const place = formatPath(steps.map((step) => (typeof step === 'number' ? step : String(step))));
  const where = steps.length === 0 ? '' : ` (at ${place.slice(0, 200)})`;
  return `${typeof message === 'string' ? message.slice(0, 1000) : 'no message'}${where}`;
}
