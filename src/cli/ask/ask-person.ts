import { type CliContext, printLine } from '../cli-context.ts';
import { gateText, ungated } from '../print/gate-output.ts';

const WIDTH = 80;

/** A question that is answered by yes or no. */
export interface YesOrNo {
  readonly message: string;
  /** The answer of the Enter key. Default: no. */
  readonly initialValue?: boolean;
  /** Ends the question without an answer. */
  readonly signal?: AbortSignal;
}

/** Asks the person at the terminal: on stderr, as stdout is for what commands answer. Anything but a yes is a no. */
export async function askYesOrNo(
  context: CliContext,
  { message, initialValue = false, signal = context.signal }: YesOrNo,
): Promise<boolean> {
  const { confirm } = await import('@clack/prompts');
  const lines = message.split('\n');
  // Drawn anew with each key, a question stays short; what it is about is printed above it.
  for (const line of lines.slice(0, -1)) printLine(context.stderr, line);
  const options = { message: gateText(lines.at(-1) ?? ''), initialValue };
  // A prompt that was answered draws once more when its signal aborts later.
  const ending = new AbortController();
  const end = (): void => ending.abort();
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted === true) end();
  try {
    return (await confirm({ ...options, ...promptStreams({ ...context, signal: ending.signal }) })) === true;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

/** Where a prompt reads and draws, and what ends it. Its words must have passed `gateText`. */
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

/** After Ctrl+D a prompt would wait for keys that cannot come. Nothing else is left to do then, which `beforeExit` tells. */
function endOfInput(): AbortSignal {
  if (inputEnd === undefined) {
    const controller = new AbortController();
    process.once('beforeExit', () => controller.abort());
    inputEnd = controller;
  }
  return inputEnd.signal;
}

/** A terminal that says it has no columns, as some recorders do, is taken for a common one. */
function withColumns(output: CliContext['stderr']): CliContext['stderr'] {
  if (output.columns !== 0) return output;
  return new Proxy(output, {
    get(target, key) {
      if (key === 'columns') return WIDTH;
      const value: unknown = Reflect.get(target, key);
      // Methods of streams work on the stream itself.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
