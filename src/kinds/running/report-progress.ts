import { StringDecoder } from 'node:string_decoder';
import { stripHidden } from '../../tool/texts/reveal-hidden.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { RunSettings } from './run-settings.ts';

/** Reports the output of one call's commands to its caller while they run. */
export interface CommandProgress {
  /** Returns a receiver for the next command's output. */
  listen(): (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
  /** Reports the last pending line, before the call ends. */
  end(): void;
}

/** Milliseconds between two reports; of the lines in between, the last is reported. */
const GAP = 100;
/** The longest reported line, in characters. A longer one is dropped: half of it could contain half a secret. */
const MAX_LINE = 1000;
const PERCENT = /(\d{1,3}(?:[.,]\d+)?)\s?%/g;

interface Report {
  readonly done: number;
  readonly total: number | undefined;
  readonly message: string;
}

/**
 * Turns printed lines into progress, at most ten per second. A slow caller does not block the command. Each report restarts the
 * call's timeout.
 */
export function reportProgress(context: ToolContext, style: NonNullable<RunSettings['progress']>): CommandProgress {
  let count = 0;
  let pending: Report | undefined;
  let timer: NodeJS.Timeout | undefined;

  const report = (): void => {
    if (pending === undefined) {
      timer = undefined;
      return;
    }
    const { done, total, message } = pending;
    pending = undefined;
    // The command itself keeps the process alive.
    timer = setTimeout(report, GAP).unref();
    context.progress(done, total, message);
    context.putOffTimeout();
  };
  const take = (line: string): void => {
    const message = stripHidden(line).replaceAll(/\s+/g, ' ').trim();
    if (message === '') return;
    count++;
    const [percent] = style === 'percent' ? readPercent(message) : [count];
    if (percent === undefined) return;
    pending = { done: percent, total: style === 'percent' ? 100 : undefined, message };
    if (timer === undefined) report();
  };
  return {
    listen() {
      const readers = { stdout: readLines(take), stderr: readLines(take) };
      return (chunk, stream) => readers[stream](chunk);
    },
    end() {
      clearTimeout(timer);
      // A call that has already ended has its result.
      if (!context.signal.aborted) report();
      clearTimeout(timer);
    },
  };
}

/** Returns the first percentage in a line. */
function readPercent(line: string): number[] {
  const found = [...line.matchAll(PERCENT)].map(([, number = '']) => Number(number.replace(',', '.')));
  return found.filter((percent) => percent <= 100).slice(0, 1);
}

/** Splits bytes into lines as on a terminal: a carriage return alone overwrites the line. */
function readLines(take: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let open = '';
  let isLong = false;
  return (chunk) => {
    const [first = '', ...rest] = decoder.write(chunk).split(/[\r\n]/);
    const add = (part: string): void => {
      isLong ||= open.length + part.length > MAX_LINE;
      open = isLong ? '' : open + part;
    };
    add(first);
    for (const part of rest) {
      if (!isLong) take(open);
      open = '';
      isLong = false;
      add(part);
    }
  };
}
