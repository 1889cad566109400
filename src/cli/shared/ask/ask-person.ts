import { type CliContext, printLine } from '../cli-context.ts';
import { gateText, ungated } from '../print/gate-output.ts';

const WIDTH = 80;

export interface YesOrNo {
  readonly message: string;
  /** The answer for a bare Enter. Default: no. */
  readonly initialValue?: boolean;
  /** Ends the question without an answer. */
  readonly signal?: AbortSignal;
}

/** Asks the person at the terminal, on stderr because stdout carries the command's answer. Anything but yes counts as no. */
export async function askYesOrNo(
  context: CliContext,
  { message, initialValue = false, signal = context.signal }: YesOrNo,
): Promise<boolean> {
  const { confirm } = await import('@clack/prompts');
  const lines = message.split('\n');
  // The prompt redraws with each key, so it stays short; the details are printed once above it.
  for (const line of lines.slice(0, -1)) printLine(context.stderr, line);
  const options = { message: gateText(lines.at(-1) ?? ''), initialValue };
  // A prompt that was answered draws again when its signal aborts later.
  const ending = new AbortController();
  const end = (): void => ending.abort();
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return (await confirm({ ...options, ...promptStreams({ ...context, signal: ending.signal }) })) === true;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** The streams and signal for a prompt. Texts of the prompt must have passed `gateText`. */
export function promptStreams({ stdin, stderr, signal }: Pick<CliContext, 'stdin' | 'stderr' | 'signal'>): {
  readonly input: CliContext['stdin'];
  readonly output: CliContext['stderr'];
  readonly signal: AbortSignal;
} {
  return {
    input: stdin,
    output: withColumns(ungated(stderr)),
    signal: AbortSignal.any([endOfInput(), ...(signal === undefined ? [] : [signal])]),
  };
}

let inputEnd: AbortController | undefined;

/** Aborts after Ctrl+D: a prompt would wait for keys that cannot come. `beforeExit` fires because nothing else is left to do. */
function endOfInput(): AbortSignal {
  if (inputEnd === undefined) {
    const controller = new AbortController();
    process.once('beforeExit', () => controller.abort());
    inputEnd = controller;
  }
  return inputEnd.signal;
}

/** Assumes a width of 80 for a terminal that reports no columns, as some recorders do. */
function withColumns(output: CliContext['stderr']): CliContext['stderr'] {
  if (output.columns !== 0) return output;
  return new Proxy(output, {
    get(target, key) {
      if (key === 'columns') return WIDTH;
      const value: unknown = Reflect.get(target, key);
      // Stream methods must be bound to the stream itself.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
