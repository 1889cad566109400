// Kept runs at the terminal: one is killed while it waits for a yes, a second process answers, a third goes on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startProvider } from '../src/agent/loop/loopback-provider.test-helper.ts';
import { openBoard } from '../src/index.ts';
import { CLI } from './cli-program.test-helper.ts';

it('goes on with a run that was killed while it waited for a person', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-runs-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const provider = await startProvider(({ body }) => {
    const isAnswered = body.messages.some(({ role }: { role: string }) => role === 'tool');
    return isAnswered ? { text: 'All sent.' } : { calls: [{ id: 'c1', name: 'send', input: { line: 'bill' } }] };
  });
  onTestFinished(() => provider.close());
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    `policy: { approval: { global: write, headless: wait } }
tools:
  - { name: send, type: cli, description: Send a line, command: [tee, -a, sent.txt], risk: write, args: [{ name: line, stdin: true, required: true }] }
agents:
  helper: { provider: openai-compatible, model: loop-1, base_url: '${provider.url}', api_key: none-at-all }
`,
  );
  const start = (...args: readonly string[]) => {
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
      TERM: 'dumb',
    };
    const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env });
    child.stdin.end();
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
    return { child, stderr: () => output.stderr, end: once(child, 'close').then(([code]) => ({ code, ...output })) };
  };
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder });
  onTestFinished(() => board.close());
  const first = start('agent', 'helper', '--once', 'Send the bill', '--run', 'bills');
  await expect.poll(() => board.approvals.list(), { timeout: 60_000 }).toHaveLength(1);
  const approval = (await board.approvals.list())[0]?.id ?? '';
  const hint = `A call of send waits for an approval. Answer it with: pegboard approvals allow ${approval}, or: pegboard approvals deny ${approval}\n`;
  await expect.poll(first.stderr, { timeout: 60_000 }).toContain(hint);
  first.child.kill('SIGKILL');
  await first.end;
  expect(await board.runs.list()).toMatchObject([{ id: 'bills', agent: 'helper', status: 'interrupted' }]);
  const suspended = await start('runs', 'resume', 'bills', '--suspend').end;
  expect(suspended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `waiting The run waits for approvals (${approval}). It can be resumed once they are answered.\n  pegboard approvals allow ${approval}   (or: deny)\n  pegboard runs resume bills\n`,
    ),
  });
  expect((await start('runs', 'list').end).stdout).toMatch(new RegExp(` waiting +waits for ${approval}\n$`));
  for (const { id } of await board.approvals.list()) await board.approvals.answer(id, { allow: true });
  const answered = 'answered, continue with: pegboard runs resume bills\n';
  expect((await start('runs', 'list').end).stdout).toMatch(new RegExp(` waiting +${answered}$`));
  expect((await start('runs', 'show', 'bills').end).stdout).toMatch(new RegExp(`approvals +${answered}`));
  const resumed = await start('runs', 'resume', 'bills').end;
  expect(resumed).toMatchObject({ code: 0, stdout: 'All sent.\n' });
  expect(readFileSync(join(folder, 'sent.txt'), 'utf8').match(/bill/g)).toHaveLength(1);
  const listed = await start('runs', 'list').end;
  expect(listed.stdout).toMatch(/ completed *\n$/);
  const shown = await start('runs', 'show', 'bills').end;
  expect(shown.stdout).not.toContain('waits for');
  expect(shown.stdout).toMatch(/status +completed\n/);
  expect(shown.stdout).toContain('step 1\n└─ send ok\nstep 2: answered\n');
  expect(await start('runs', 'cancel', 'nothing').end).toMatchObject({
    code: 1,
    stderr: 'There is no run "nothing". List the runs with pegboard runs list.\n',
  });
});
