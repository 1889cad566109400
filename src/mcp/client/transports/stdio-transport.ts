import type { StdioCommand } from '../server-settings.ts';
import type { ChildExit } from '../../../platform/process/spawn/spawned-child.ts';
import { type RunningProcess, startProcess } from '../../../platform/process/run-process.ts';
import { throttleReading } from '../../../platform/outputs/output-capture.ts';
import { LineReader } from '../../protocol/line-reader.ts';
import { FrameReader, type LargeFrame } from './frame-reader.ts';
import {
  type Agreement,
  cancellation,
  type Transport,
  type TransportFailure,
  type TransportHandlers,
} from './transport.ts';
import type { TextTail } from '../explain-unavailable.ts';

export interface StdioTransportOptions {
  readonly maxFrame: number;
  /** Receives standard error, and lines of standard output that are not messages. */
  readonly errors: TextTail;
}

/** Bytes of invalid output before a server counts as broken; greetings of other programs fit. */
const MAX_NOISE = 4 * 1024 * 1024;
/** Bytes waiting to be written before a server that does not read counts as broken. */
const MAX_BACKLOG = 256 * 1024 * 1024;

export type StdioStart =
  | {
      readonly type: 'started';
      readonly transport: Transport;
      readonly pid: number;
      readonly noise: (size: number) => void;
    }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

/** Starts a server that exchanges lines of JSON over its standard streams. */
export async function startStdio(
  command: StdioCommand,
  options: StdioTransportOptions,
  handlers: TransportHandlers,
): Promise<StdioStart> {
  const child = await startProcess(command);
  if (child.type === 'failed') return { type: 'failed', failure: { kind: 'unavailable', message: child.message } };
  return { type: 'started', pid: child.pid, ...connect(child, options, handlers) };
}

function connect(
  child: RunningProcess,
  { maxFrame, errors }: StdioTransportOptions,
  handlers: TransportHandlers,
): { readonly transport: Transport; readonly noise: (size: number) => void } {
  let isOver = false;
  let noise = 0;
  let agreed: Agreement | undefined;

  const end = (failure: TransportFailure): void => {
    if (isOver) return;
    isOver = true;
    handlers.onClose(failure);
  };
  const breakOff = (message: string): void => {
    end({ kind: 'unavailable', message });
    void child.stop({ patience: 0 });
  };
  const addNoise = (size: number): void => {
    noise += size;
    if (noise > MAX_NOISE) breakOff('it floods its standard output with what is no MCP message, and was stopped');
  };

  const frames = new FrameReader((message, start, size) => {
    if (isOver) return;
    if (message !== undefined) return handlers.onMessage(message, undefined);
    errors.add(`${start}\n`);
    addNoise(size);
  });
  const take = (frame: LargeFrame): void => {
    if (!isOver) frames.push(frame);
  };
  const reader = new LineReader({
    maxBytes: maxFrame,
    onLine: take,
    onPieces: take,
    onOversize: (size, id) => {
      const message = `it sent a message of ${count(size)} bytes, more than the ${count(maxFrame)} of max_frame`;
      if (typeof id === 'number') handlers.onFailure(id, { kind: 'refused', message });
      else addNoise(size);
    },
  });
  child.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
  child.stdout.on('error', () => {});
  const throttle = throttleReading(child.stderr);
  child.stderr.on('data', (chunk: Buffer) => {
    errors.add(chunk);
    throttle.count(chunk.length);
  });
  child.stderr.on('error', () => {});
  // The last lines of standard error may arrive after the exit.
  void child.exit.then(async (exit) => {
    await new Promise((resolve) => setImmediate(resolve));
    await frames.reading;
    end({ kind: 'unavailable', message: describeExit(exit) });
  });

  return {
    noise: addNoise,
    transport: {
      kind: 'stdio',
      send(message) {
        if (isOver) return;
        child.stdin.write(`${JSON.stringify(message)}\n`);
        if (child.stdin.writableLength > MAX_BACKLOG) breakOff('it does not read what it is sent, and was stopped');
      },
      cancel(request, reason) {
        // The protocol forbids cancelling `initialize`.
        if (isOver || agreed === undefined) return;
        child.stdin.write(`${JSON.stringify(cancellation(request, reason))}\n`);
      },
      agree: (agreement) => {
        agreed = agreement;
      },
      close: async (options) => {
        isOver = true;
        await child.stop(options);
      },
    },
  };
}

function describeExit(exit: ChildExit): string {
  if (exit.type === 'lost') return exit.message;
  return exit.signal === null ? `it ended with exit code ${exit.code}` : `it was ended by ${exit.signal}`;
}

function count(bytes: number): string {
  return bytes.toLocaleString('en-US');
}
