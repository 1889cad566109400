import { StringDecoder } from 'node:string_decoder';
import { stripHidden } from '../../tool/texts/reveal-hidden.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { RunSettings } from './run-settings.ts';

/** Tells callers what the commands of one call print while they run. */
export interface CommandProgress {
  /** Gives what takes the bytes of the next command. */
  listen(): (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
  /** Tells the last line that is due, before the call ends. */
  end(): void;
}

/** Milliseconds between two reports; of the lines between, the last is told. */
const GAP = 100;
/** Characters of a line that is told. A longer one is left out: half a line could hold half a secret. */
const MAX_LINE = 1000;
const PERCENT = /(\d{1,3}(?:[.,]\d+)?)\s?%/g;

interface Report {
  readonly done: number;
  readonly total: number | undefined;
  readonly message: string;
}

/**
 * Makes the lines that commands print into progress, at most ten a second. A caller that is slow to listen holds up no command.
 * Each report gives the call its timeout anew.
 */
export function tellProgress(context: ToolContext, style: NonNullable<RunSettings['progress']>): CommandProgress {
  let count = 0;
  let pending: Report | undefined;
  let timer: NodeJS.Timeout | undefined;

  const tell = (): void => {
    if (pending === undefined) {
      timer = undefined;
      return;
    }
    const { done, total, message } = pending;
    pending = undefined;
    // Not kept alive by it: the command itself does that.
    timer = setTimeout(tell, GAP).unref();
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
    if (timer === undefined) tell();
  };
  return {
    listen() {
      const readers = { stdout: readLines(take), stderr: readLines(take) };
      return (chunk, stream) => readers[stream](chunk);
    },
    end() {
      clearTimeout(timer);
      // A call that was ended has its answer already.
      if (!context.signal.aborted) tell();
      clearTimeout(timer);
    },
  };
}

/** The first percentage in a line. */
function readPercent(line: string): number[] {
  const found = [...line.matchAll(PERCENT)].map(([, number = '']) => Number(number.replace(',', '.')));
  return found.filter((percent) => percent <= 100).slice(0, 1);
}

/** Cuts bytes into lines, which end as on a terminal: a return alone writes over the line. */
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
