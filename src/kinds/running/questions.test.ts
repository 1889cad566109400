import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openBoard, type ToolResult } from '../../index.ts';
import { has, needs } from '../../../test/needs.test-helper.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-questions-')));
// The board's data must not be in the folder that its commands walk.
const folder = join(top, 'board');
mkdirSync(folder);
afterAll(() => rmSync(top, { recursive: true }));

let boards = 0;

async function run(command: readonly string[], keys = ''): Promise<ToolResult> {
  const name = `board-${++boards}`;
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    `tools:\n  - { name: t, type: cli, description: T, command: ${JSON.stringify(command)}${keys} }\n`,
  );
  const board = await openBoard({ files: file, cwd: folder, data: join(top, name) });
  try {
    return await board.call('t');
  } finally {
    await board.close();
  }
}

const isLinux = process.platform === 'linux';
/** Runs a command on its own terminal. */
const onTerminal = (command: string): string[] => ['script', '-qec', command, '/dev/null'];

// They mostly wait.
describe.concurrent('a command that asks', () => {
  it('and ends without an answer reports its question', async () => {
    const failed = await run(['sh', '-c', 'printf "Go on? [y/N] "; read x || exit 1']);
    expect(failed.error?.code).toBe('execution_failed');
    expect(failed.text).toMatch(/\[exit code: 1\]\n\[It asked "Go on\? \[y\/N\]" and got no answer;.*--yes/);
  });

  it('and ends successfully reports its question, too', async () => {
    const result = await run(['sh', '-c', 'touch kept; rm -i kept']);
    expect(result.ok).toBe(true);
    expect(result.text).toMatch(/^\[It asked "rm: remove regular empty file 'kept'\?" and got no answer;/);
    expect(existsSync(join(folder, 'kept'))).toBe(true);
  });

  it('and is killed leaves half a line, not a question', async () => {
    const { text } = await run(['sh', '-c', 'printf "tail: " >&2; kill -9 $$']);
    expect(text).toBe('[stderr]\ntail: \n[killed by SIGKILL]');
  });

  it('can be answered on standard input', async () => {
    const keys = ', args: [{ name: answer, stdin: true, default: "y\\n" }]';
    expect((await run(['sh', '-c', 'printf "Go on? "; read x; echo "got $x"'], keys)).text).toBe('Go on? got y\n');
  });

  it('git names the user name it needs', async ({ onTestFinished }) => {
    const server = createServer((_, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { text } = await run(['git', 'clone', `http://127.0.0.1:${port}/a.git`, 'clone']);
    expect(text).toContain(
      `It wanted to ask at a terminal: "fatal: could not read Username for 'http://127.0.0.1:${port}'`,
    );
    expect(text).toContain('Its credentials must be where it finds them by itself');
  });

  it('python reports its question', needs('python3'), async () => {
    expect((await run(['python3', '-c', 'input("Your name: ")'])).text).toContain(
      '[It asked "Your name:" and got no answer',
    );
    const { text } = await run(['python3', '-c', 'import getpass; getpass.getpass("Pass word: ".replace(" w", "w"))']);
    expect(text).toContain('[It asked "Password:" and got no answer');
  });

  it.skipIf(!isLinux)('again and again is ended', async () => {
    const loop =
      'while :; do printf "Go on? [y/N] "; read x; case $x in y) exit 0;; n) exit 1;; *) echo "Please answer y or n.";; esac; done';
    const { error, text } = await run(['sh', '-c', loop], ', timeout: 300, max_output: 20000');
    expect(error?.code).toBe('execution_failed');
    expect(text).toContain('[It asked "Go on? [y/N]" and got no answer');
    expect(text.length).toBeLessThan(2000);
  });

  it('with a prompt that shells show only on terminals reports it', async () => {
    const script = 'read -rp "Deploy to $HOME? " x || { echo Aborted.; exit 3; }';
    const told = '[It may have asked "Deploy to $HOME?": prompts of `read -p` are shown on terminals only';
    expect((await run(['bash', '-c', script])).text).toContain(`Aborted.\n\n[exit code: 3]\n${told}`);
    writeFileSync(join(folder, 'deploy.sh'), `#!/usr/bin/env bash\n${script}\n`, { mode: 0o755 });
    expect((await run(['./deploy.sh'])).text).toContain(told);
    const keys = ', args: [{ name: answer, stdin: true, default: "y" }]';
    expect((await run(['bash', '-c', `${script}; exit 4`], keys)).text).not.toContain('asked');
    // A silent successful command has reported nothing else.
    const silent = await run(['bash', '-c', 'read -p "Sure? " x; [ "$x" != y ] || echo Deployed']);
    expect([silent.ok, silent.text]).toEqual([true, expect.stringMatching(/^\[It may have asked "Sure\?": .*\]$/)]);
    expect((await run(['bash', '-c', 'read -p "Sure? " x; echo Skipped'])).text).toBe('Skipped\n');
  });

  it.skipIf(!isLinux)('the same on one line without end is ended', needs('python3'), async () => {
    const loop = 'while True:\n  try: int(input("Number: "))\n  except EOFError: pass';
    const { error, text } = await run(['python3', '-c', loop], ', timeout: 300, max_output: 20000');
    expect(error?.code).toBe('execution_failed');
    expect(text).toContain('[It asked "Number:" and got no answer');
  });

  it.skipIf(!isLinux)('that stays silent until its timeout reports that its input is empty', async () => {
    const { error, text } = await run(
      ['bash', '-c', 'until [ -n "$x" ]; do read -p "Name: " x; done'],
      ', timeout: 4500ms',
    );
    expect(error?.code).toBe('timeout');
    expect(text).toContain('[It may be asking something: it read its standard input again and again');
  });

  it('reveals no secret, not even half of it', async () => {
    const keys = ', env: { API_TOKEN: "tok-12345:67890-abc" }';
    const { text } = await run(['sh', '-c', 'printf "Password for $API_TOKEN:"; echo; echo EOFError; exit 1'], keys);
    expect(text).toContain('[It asked "Password for [redacted]:"');
    expect(text).not.toMatch(/tok-|67890/);
    const long = await run(['sh', '-c', `printf '%495s%s' '' "$API_TOKEN"`], `${keys}, output: json`);
    expect(long.error?.code).toBe('execution_failed');
    expect(long.text).not.toContain('tok-');
  });

  it.skipIf(!isLinux)('on a terminal of its own is ended', needs('script'), async () => {
    // As for a password: the end of input is an ordinary character then.
    const { error, text } = await run(
      onTerminal(`sh -c 'stty -icanon -echo; printf "Password: "; head -c 9 < /dev/tty'`),
      ', timeout: 300',
    );
    expect(error?.code).toBe('execution_failed');
    expect(text).toContain('[It asked "Password:" and got no answer');
  });
});

describe.concurrent('a command that wants an editor or a screen', () => {
  it('fails at once, and git uses its prepared text', async () => {
    const git = 'git -c user.name=Ada -c user.email=ada@example.com -c commit.gpgsign=false';
    const script = [
      `rm -rf repo; git init -q repo; cd repo; ${git} config core.editor vi; ${git} config sequence.editor vi`,
      `${git} commit -q --allow-empty -m one; ${git} commit -q --allow-empty -m two`,
      `${git} commit -q --amend --allow-empty || exit 9; git log -1 --format=%s`,
      `${git} commit --allow-empty; echo; sh -c "$EDITOR x"; git log -p -1 --format=%an; ${git} rebase -i HEAD~1`,
    ];
    const { error, text } = await run(['sh', '-c', script.join('\n')]);
    expect(error?.code).toBe('execution_failed');
    expect(text).toMatch(/^two\n/);
    expect(text).toContain('Aborting commit due to empty commit message');
    expect(text).toContain('pegboard-has-no-editor');
    expect(text).toMatch(/\n\[It wanted to open an editor, and there is none\. Give the text with the call.*\]$/);
  });

  it('has the editor, the pager and the prompts that the board sets', async () => {
    const keys = ', env: { EDITOR: ed, PAGER: more }';
    const shown = await run(['sh', '-c', 'echo $EDITOR $PAGER $GIT_TERMINAL_PROMPT'], keys);
    expect(shown.text).toBe('ed more 0\n');
  });

  it.skipIf(!isLinux)('ends with what to do instead', needs('vi'), async () => {
    const { error, text } = await run(['vi', 'new.txt'], ', timeout: 20');
    expect(error?.code).toBe('execution_failed');
    expect(text).toContain('[It wants a whole screen, as editors and pagers do; commands run without a terminal.');
  });

  it.skipIf(!isLinux)('is ended on a terminal of its own', needs('script', 'python3'), async () => {
    const keys = 'import os, select\nwhile True: select.select([0], [], []); os.read(0, 99)';
    writeFileSync(join(folder, 'screen.py'), keys);
    const { error, text } = await run(
      onTerminal(`stty raw -echo; printf '\\033[?1049h'; python3 screen.py`),
      ', timeout: 20',
    );
    expect(error?.code).toBe('execution_failed');
    expect(text).toContain('[It wants a whole screen');
  });
});

describe.concurrent('a command that is only slow', () => {
  it.skipIf(!isLinux)(
    'is left alone on a screen of its own, and behind one that it has left',
    needs('script'),
    async () => {
      const work = `printf '\\033[?1049h'; sleep 1.7; printf '\\033[?1049l'; sleep 1.7; echo yes`;
      const { ok, text } = await run(onTerminal(work));
      expect(ok).toBe(true);
      expect(text).toMatch(/yes\s*$/);
    },
  );

  it.skipIf(!isLinux)('is left alone, also behind a line that looks like a question', async () => {
    const slow = 'printf "Is it done? [y/n] "; sleep 2.5; echo yes';
    const results = [await run(['sh', '-c', slow]), ...(has('script') ? [await run(onTerminal(slow))] : [])];
    for (const { ok, text } of results) {
      expect(ok).toBe(true);
      expect(text).toMatch(/^Is it done\? \[y\/n\] yes/);
    }
  });

  it.skipIf(!isLinux)('is left alone while it prints the same for long', async () => {
    const { ok } = await run(['sh', '-c', 'timeout 2 yes "Go on? [y/N]"; exit 0'], ', max_output: 5000');
    expect(ok).toBe(true);
  });
});
