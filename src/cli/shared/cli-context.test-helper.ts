import { PassThrough } from 'node:stream';
import type { CliContext } from './cli-context.ts';
import { type CliOutput, gateOutput } from './print/gate-output.ts';

/** Creates a context that records what is printed. */
export function createTestContext(
  options: {
    readonly isTTY?: boolean;
    readonly env?: CliContext['env'];
    readonly input?: string;
    readonly cwd?: string;
  } = {},
): CliContext & { printed(): { stdout: string; stderr: string } } {
  const { isTTY = false, env = {}, input = '', cwd = '.' } = options;
  const output = (): CliOutput => Object.assign(new PassThrough(), { isTTY, columns: 60 });
  const [stdout, stderr] = [output(), output()];
  const stdin = Object.assign(new PassThrough(), { isTTY });
  stdin.end(input);
  const read = (stream: CliOutput): string => {
    const chunk: unknown = stream instanceof PassThrough ? stream.read() : undefined;
    return chunk instanceof Buffer ? chunk.toString() : '';
  };
  return {
    stdin,
    stdout: gateOutput(stdout),
    stderr: gateOutput(stderr),
    env,
    cwd,
    signal: new AbortController().signal,
    printed: () => ({ stdout: read(stdout), stderr: read(stderr) }),
  };
}
