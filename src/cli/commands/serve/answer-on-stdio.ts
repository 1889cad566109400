import { isPlainObject } from '../../../tool/json.ts';
import type { CliContext } from '../../cli-context.ts';

/** Longer than the first message of any client. */
const MAX_LINE = 1_000_000;
const MESSAGE =
  'This board is served over HTTP, because its file has serve.http: true. For a client that uses stdio, start it with "pegboard serve --stdio", or connect the client to the address shown on stderr.';

/** Answers the first request on stdin with an error that explains the fix. Ignores a terminal and an empty input. */
export function answerOnStdio({ stdin, stdout }: Pick<CliContext, 'stdin' | 'stdout'>): void {
  if (stdin.isTTY === true) return;
  let text = '';
  const stop = (): void => {
    stdin.off('data', hear);
    stdin.pause();
  };
  const hear = (chunk: Buffer | string): void => {
    text += chunk.toString();
    const end = text.indexOf('\n');
    if (end === -1 && text.length <= MAX_LINE) return;
    stop();
    const id = requestId(text.slice(0, end === -1 ? 0 : end));
    if (id === undefined) return;
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_600, message: MESSAGE } })}\n`);
  };
  stdin.on('data', hear);
  stdin.once('end', stop);
  stdin.once('error', stop);
}

/** Returns the id of a JSON-RPC request; `undefined` for any other line. */
function requestId(line: string): string | number | undefined {
  try {
    const message: unknown = JSON.parse(line);
    const { jsonrpc, id } = isPlainObject(message) ? message : {};
    return jsonrpc === '2.0' && (typeof id === 'string' || typeof id === 'number') ? id : undefined;
  } catch {
    return undefined;
  }
}
