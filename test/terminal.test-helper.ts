import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** Runs a program at a terminal of its own: waits for each text, then types what belongs to it. */
const SCRIPT = `
import json, os, pty, sys
command, steps = json.loads(sys.stdin.read())
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
seen = b""
shown = b""
steps = [(wait.encode(), keys.encode()) for wait, keys in steps]
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    seen += chunk
    shown += chunk
    while steps and steps[0][0] in seen:
        wait, keys = steps.pop(0)
        seen = seen[seen.index(wait) + len(wait):]
        os.write(terminal, keys)
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(status))
`;
import { CLI } from './cli-program.test-helper.ts';

interface TerminalOptions {
  readonly cwd: string;
  readonly steps?: readonly (readonly [wait: string, keys: string])[];
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `pegboard` at a terminal, and gives what it showed there. */
export async function atTerminal(args: readonly string[], options: TerminalOptions): Promise<Shown> {
  return runAtTerminal([process.execPath, CLI, ...args], options);
}

/** The output of a program at a terminal. */
interface Shown {
  readonly code: number | null;
  readonly shown: string;
}

/** Runs a program at a terminal, and gives what it showed there. */
export async function runAtTerminal(
  command: readonly string[],
  { cwd, steps = [], env: given = {} }: TerminalOptions,
): Promise<Shown> {
  const env = { ...process.env, CI: '', TERM: 'xterm', NO_COLOR: '1', ...given };
  const python = spawn('python3', ['-c', SCRIPT], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  python.stdin.end(JSON.stringify([command, steps]));
  let shown = '';
  python.stdout.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk));
  const code = await new Promise<number | null>((resolve) => python.once('close', resolve));
  return { code, shown: stripVTControlCharacters(shown).replaceAll('\r\n', '\n') };
}
