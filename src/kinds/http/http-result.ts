import { isPlainObject } from '../../tool/json.ts';
import { formatPath } from '../../tool/texts/explain-issues.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import { adviseRefused, type ApiAuth } from './auth/api-auth.ts';
import { eventsResult } from './extras/event-stream.ts';
import type { HttpBody, HttpOutcome } from '../../platform/http/http-messages.ts';
import { parseBody } from '../../platform/http/body-sink.ts';

interface ResultOptions {
  /** The most bytes of images and files in a result. */
  readonly maxMedia: number;
  /** The credentials of the request. */
  readonly auth: ApiAuth | undefined;
  readonly source: string;
}

/** Creates the result of a server's response. */
export function toResult(outcome: HttpOutcome, { maxMedia, auth, source }: ResultOptions): ToolResult {
  const { status, body, ok, url, notices } = outcome;
  if (!ok) return ToolResult.error(toError(outcome, auth && adviseRefused(auth, source))).with({ meta: { status } });
  const meta = { status, ...(notices.length === 0 ? {} : { notices }) };
  switch (body.type) {
    case 'binary': {
      const { mimeType, base64 } = body;
      const block = mimeType.startsWith('image/')
        ? ({ type: 'image', data: base64, mimeType } as const)
        : ({ type: 'resource', resource: { uri: url, mimeType, blob: base64 } } as const);
      return ToolResult.content([{ type: 'text', text: `[${mimeType}]` }, block]).with({ meta });
    }
    case 'kept':
      return keptResult(body, maxMedia).with({ meta });
    case 'events':
      return eventsResult(body).with({ meta });
    case 'json':
      return ToolResult.from({ text: body.text, data: body.value, meta });
    case 'text':
      return ToolResult.from({ text: body.text, meta });
    case 'empty':
      return ToolResult.from({ text: `(no content, status ${status})`, meta });
  }
}

/** Creates the error for an unsuccessful response, with the server's instructions. */
function toError({ status, body, url, notices, redirects }: HttpOutcome, advice: string | undefined): ToolError {
  const said = body.type === 'json' || body.type === 'text' ? body.text : body.type === 'empty' ? '' : '[binary]';
  const answer = `The server answered ${status} at ${url}${said === '' ? '' : `: ${said.slice(0, 2000)}`}`;
  return new ToolError({
    code: status >= 500 ? 'upstream_unavailable' : 'execution_failed',
    message: [answer, ...notices, ...(status === 401 && redirects === 0 && advice !== undefined ? [advice] : [])].join(
      '\n',
    ),
    recoverable: status === 429 || status >= 500,
  });
}

/** Creates the result for a file that is too large: its stored output, which another tool can take. */
function keptResult({ mimeType, size, output }: HttpBody & { readonly type: 'kept' }, maxMedia: number): ToolResult {
  if (output?.isComplete !== true) {
    const amount = size === undefined ? '' : ` (${size.toLocaleString('en-US')} bytes)`;
    const message = `The server answered with ${mimeType}${amount}: more than the ${maxMedia.toLocaleString('en-US')} bytes that a result may have (max_media), and more than could be kept.`;
    return ToolResult.error(new ToolError({ code: 'output_too_large', message }));
  }
  const { id } = output;
  const text = `[${mimeType}, ${output.size.toLocaleString('en-US')} bytes, kept as the output "${id}": pass this id to a tool that sends files]`;
  return ToolResult.from({ text, data: { output: id, size: output.size, mime_type: mimeType } });
}

/** Parses a body that must be JSON: some servers send it as text. */
export function readJson({ body, truncated }: HttpOutcome): HttpBody {
  return body.type === 'text' && truncated === undefined ? parseBody(body.text) : body;
}

/** Returns a failure for text, such as a login page, if the request needs JSON. Files and empty responses stay. */
export function refuseText(result: ToolResult, key: string, truncated: HttpOutcome['truncated']): ToolResult {
  const { data, content, text, meta } = result;
  if (result.failed() || data !== undefined || content !== undefined || meta.status === 204) return result;
  const refuse = (code: 'execution_failed' | 'output_too_large', message: string): ToolResult =>
    ToolResult.error(new ToolError({ code, message })).with({ meta });
  if (truncated === undefined)
    return refuse(
      'execution_failed',
      `The answer is not JSON, which ${key} of the request needs: ${text.slice(0, 500)}`,
    );
  const limit = truncated.kept.toLocaleString('en-US');
  const advice = 'Ask for less, or let the operator of the tool raise max_output.';
  return refuse(
    'output_too_large',
    `The answer has more than ${limit} bytes, and ${key} of the request needs it whole. ${advice}`,
  );
}

/** Returns the result with the selected JSON; files and empty responses stay. */
export function selectFrom(result: ToolResult, take: (value: unknown) => unknown): ToolResult {
  const { data } = result;
  if (result.failed() || data === undefined) return result;
  const found = take(data);
  return result.with({ data: found, text: JSON.stringify(found) });
}

/** The most errors to report. */
const MAX_ERRORS = 10;

/** Creates the result of a GraphQL response; `undefined` if it is not one. */
export function graphqlResult({ status, body, notices }: HttpOutcome): ToolResult | undefined {
  if (body.type !== 'json' || !isPlainObject(body.value)) return undefined;
  const { data, errors } = body.value;
  const meta = { status, ...(notices.length === 0 ? {} : { notices }) };
  if (Array.isArray(errors) && errors.length > 0) {
    const shown = errors.slice(0, MAX_ERRORS).map(describeError);
    const rest = errors.length > MAX_ERRORS ? [`and ${errors.length - MAX_ERRORS} more`] : [];
    const message = ['The server answered with errors:', ...[...shown, ...rest].map((line) => `- ${line}`)].join('\n');
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
