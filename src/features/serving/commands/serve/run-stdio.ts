import type { Writable } from 'node:stream';
import { isPlainObject } from '../../../../tool/json.ts';
import { type CliContext, printLine } from '../../../../cli/shared/cli-context.ts';
import { ungated } from '../../../../cli/shared/print/gate-output.ts';
import { readGrace } from './serve-settings.ts';
import type { Serving } from './serving.ts';

/** Serves over stdio until the client, the person or the system stops it. */
export async function runStdio(
  { server, section, failed }: Serving,
  { context, claimed }: { readonly context: CliContext; readonly claimed: ClaimedOutput },
): Promise<void> {
  const { serveStdio } = await import('../../../../mcp/server/stdio/serve-stdio.ts');
  const { stdout } = context;
  const piped = context.openPipedInput?.();
  const stop = new AbortController();
  context.onTerminate?.(() => stop.abort());
  const signal = AbortSignal.any([stop.signal, context.signal, failed]);
  if (piped === undefined && context.stdin.isTTY === true) {
    printLine(
      context.stderr,
      'pegboard: waiting for an MCP client on stdin. For people: pegboard list, or pegboard serve --http.',
    );
  }
  await serveStdio(server, {
    input: piped ?? context.stdin,
    output: ungated(stdout),
    write: (text) => claimed.write(text),
    signal,
    maxMessage: () => section().limits?.max_body,
    grace: () => readGrace(section()),
  });
}

/** A stream that one writer has claimed. */
interface ClaimedOutput {
  /** Writes to the stream. Other writers are redirected. */
  write(text: string): boolean;
  release(): void;
}

/** Claims a stream for the protocol: output of tools and libraries goes to `others` instead, so that it is not read as a message. */
export function claimOutput(output: Writable, others: Writable): ClaimedOutput {
  const before = Object.getOwnPropertyDescriptor(output, 'write');
  const write = output.write.bind(output);
  // Bound to the other stream, so that all overloads of `write` work.
  output.write = others.write.bind(others);
  return {
    write: (text) => write(text),
    release() {
      if (before === undefined) Reflect.deleteProperty(output, 'write');
      else Object.defineProperty(output, 'write', before);
    },
  };
}

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
