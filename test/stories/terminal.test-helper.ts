import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** The output of a command, and its exit code. */
interface Shown {
  readonly text: string;
  readonly code: number;
}

/** Keys to press when a text shows. */
export type Keys = readonly (readonly [shown: string, pressed: string])[];

/** Stands after each command, with its exit code. */
const DONE = /\u241E(\d+)\u241E/;

/** A terminal with a shell in it: what is typed, and what shows. */
export class Terminal {
  readonly #process: ChildProcessWithoutNullStreams;
  #shown = '';
  #onShown: () => void = () => {};
  #hasEnded = false;

  private constructor(cwd: string, env: NodeJS.ProcessEnv) {
    const setUp = { PS1: '', PS2: '', PROMPT_COMMAND: "printf '\u241E%s\u241E' $?", TERM: 'xterm' };
    const shell = 'stty -echo cols 120 rows 50; exec bash --norc --noprofile --noediting -i';
    this.#process = spawn('script', ['-qefc', shell, '/dev/null'], { cwd, env: { ...env, ...setUp } });
    this.#process.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.#shown += chunk;
      this.#onShown();
    });
    this.#process.once('close', () => {
      this.#hasEnded = true;
      this.#onShown();
    });
  }

  /** Opens a terminal in a folder. */
  static async open(cwd: string, env: NodeJS.ProcessEnv): Promise<Terminal> {
    const terminal = new Terminal(cwd, env);
    await terminal.#waitFor(DONE);
    return terminal;
  }

  /** Types a command, presses keys when what they answer shows, and waits for the command's end. */
  async run(line: string, keys: Keys = []): Promise<Shown> {
    this.#process.stdin.write(`${line}\n`);
    const text = (await this.#press(keys)) + (await this.#waitFor(DONE));
    return { text: clean(text.replace(DONE, '')), code: Number(DONE.exec(text)?.[1]) };
  }

  async #press(keys: Keys): Promise<string> {
    let before = '';
    for (const [shown, pressed] of keys) {
      before += await this.#waitFor(shown);
      this.#process.stdin.write(pressed);
    }
    return before;
  }

  /** Types a command that goes on, and waits until it has shown this. Keys are pressed later, when what they answer shows. */
  async start(line: string, expected: RegExp, keys: Keys = []): Promise<void> {
    this.#process.stdin.write(`${line}\n`);
    await this.#waitUntil(() => expected.test(clean(this.#shown)), expected);
    // A question that never comes is never answered: the command that waits for the answer says so.
    void this.#press(keys).catch(() => {});
  }

  /** Ends what runs by Ctrl-C, then the shell. */
  async close(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = new Promise((resolve) => this.#process.once('close', resolve));
    this.#shown = '';
    this.#process.stdin.write('\u0003');
    await this.#waitFor(DONE);
    this.#process.stdin.write('exit\n');
    await ended;
  }

  /** Ends everything at once. */
  kill(): void {
    this.#process.kill('SIGKILL');
  }

  /** Takes what showed up to the end of a text. */
  async #waitFor(wanted: string | RegExp): Promise<string> {
    const find = (): number => {
      if (typeof wanted === 'string')
        return this.#shown.indexOf(wanted) + (this.#shown.includes(wanted) ? wanted.length : 0);
      const found = wanted.exec(this.#shown);
      return found === null ? -1 : found.index + found[0].length;
    };
    await this.#waitUntil(() => find() > 0, wanted);
    const end = find();
    const taken = this.#shown.slice(0, end);
    this.#shown = this.#shown.slice(end);
    return taken;
  }

  async #waitUntil(isThere: () => boolean, wanted: string | RegExp): Promise<void> {
    while (!isThere()) {
      if (this.#hasEnded || (DONE.test(this.#shown) && wanted !== DONE)) {
        throw new Error(`The command ended before this showed: ${String(wanted)}. What showed:\n${clean(this.#shown)}`);
      }
      await new Promise<void>((resolve) => (this.#onShown = resolve));
    }
  }
}

/** Returns the visible text of lines that were drawn over, without colours. */
function clean(shown: string): string {
  return stripVTControlCharacters(shown)
    .replaceAll(/\r+\n/g, '\n')
    .replaceAll(/^.*\r(?!\n)/gm, '');
}
