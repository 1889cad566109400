import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import {
  type ApprovalRecord,
  type Board,
  type CallApproval,
  defineTool,
  openBoard,
  type OpenBoardOptions,
  type Tool,
} from '../../index.ts';

const root = mkdtempSync(join(tmpdir(), 'pegboard-approvals-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
let file: string;
let ran: unknown[];
beforeEach(() => {
  folder = mkdtempSync(join(root, 'board-'));
  file = join(folder, 'pegboard.yaml');
  ran = [];
});

const send = defineTool({
  name: 'send',
  description: 'Send a text',
  risk: 'write',
  schema: z.object({ to: z.string(), times: z.int().default(1) }),
  execute: (input) => {
    ran.push(input);
    return 'sent';
  },
});

const makePut = (idempotent: true | 'key'): Tool =>
  defineTool({
    name: 'put',
    description: 'Put',
    risk: 'write',
    idempotent,
    schema: z.object({}),
    execute: () => ran.push(1),
  });

const POLICY = 'approval: { headless: wait }';

async function open(policy = POLICY, options: OpenBoardOptions = {}): Promise<Board> {
  writeFileSync(file, `name: desk\npolicy:\n  ${policy.replaceAll('\n', '\n  ')}\n`);
  return reopen(options);
}

async function reopen(options: OpenBoardOptions = {}): Promise<Board> {
  const board = await openBoard(file, { cwd: folder, tools: [send], ...options });
  onTestFinished(() => board.close());
  return board;
}

const later = (key: string): { readonly approval: CallApproval } => ({ approval: { key, defer: true } });

async function waiting(board: Board): Promise<ApprovalRecord> {
  return vi.waitFor(async () => {
    const [first] = await board.approvals.list();
    if (first === undefined) throw new Error('Nothing waits.');
    return first;
  });
}

describe('a waiting call', () => {
  it('is stored before a person is asked, and runs on the answer of another board', async () => {
    const seen: unknown[] = [];
    const board: Board = await open('approval: {}', {
      approve: async ({ approvalId, signal }) => {
        seen.push((await other.approvals.get(approvalId ?? ''))?.status);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(false)));
      },
    });
    const other = await reopen();
    const call = board.call('send', { to: 'ada' });
    const asked = await waiting(other);
    expect(asked).toMatchObject({
      tool: 'send',
      risk: 'write',
      by: 'code',
      caller: '',
      input: { to: 'ada', times: 1 },
    });
    expect(asked.message).toBe('Allow send (write) with these arguments?\n  to: "ada"\n  times: 1');
    const answered = await other.approvals.answer(asked.id, { allow: true, by: 'ada at the terminal' });
    expect(answered).toMatchObject({
      status: 'allowed',
      answer: { allow: true, by: 'ada at the terminal', scope: 'once' },
    });
    expect(await call).toMatchObject({ ok: true, meta: { approval: { id: asked.id, by: 'ada at the terminal' } } });
    expect(seen).toEqual(['waiting']);
    const over = await other.approvals.get(asked.id);
    expect(over).toMatchObject({ status: 'spent', tool: 'send' });
    expect(JSON.stringify(over)).not.toContain('"ada"');
    expect(await other.approvals.list()).toEqual([]);
    expect(await other.approvals.list({ status: 'all' })).toHaveLength(1);
  });

  it('counts the first answer, and reports it to the second person', async () => {
    const board = await open();
    const call = board.call('send', { to: 'ada' });
    const { id } = await waiting(board);
    const other = await reopen();
    const [first, second] = await Promise.allSettled([
      board.approvals.answer(id, { allow: false, reason: 'Not on a Friday.', by: 'ada' }),
      other.approvals.answer(id, { allow: false, reason: 'Not on a Friday.', by: 'ada' }),
    ]);
    expect([first.status, second.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    const { reason } = [first, second].find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(reason).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringMatching(
        /^The approval "\w{16}" \(a call of "send"\) was answered already: ada denied it at 20\S+Z\. The first answer counts\.$/,
      ),
    });
    const { error } = await call;
    expect(error).toMatchObject({ code: 'permission_denied', reason: 'Not on a Friday.' });
    expect(ran).toEqual([]);
    await expect(board.approvals.answer('nothing', { allow: true })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('accepts the direct answer if it is first', async () => {
    const board = await open('approval: {}', { approve: async () => ({ reason: 'Too late in the day.', by: 'bob' }) });
    const result = await board.call('send', { to: 'ada' });
    expect(result.error).toMatchObject({ code: 'permission_denied', reason: 'Too late in the day.' });
    expect(await board.approvals.list({ status: 'denied' })).toMatchObject([
      { answer: { by: 'bob', reason: 'Too late in the day.' } },
    ]);
  });

  it('is refused at once when no one can be asked, unless the policy waits', async () => {
    const board = await open('approval: {}', { approve: () => 'unavailable' });
    expect((await board.call('send', { to: 'ada' })).error).toMatchObject({
      code: 'approval_required',
      reason: 'no one to ask',
    });
    expect(await board.approvals.list()).toEqual([]);
  });

  it('expires with an error that says what to do', async () => {
    const board = await open('approval: { headless: wait, expires: 50ms }');
    const { error } = await board.call('send', { to: 'ada' });
    expect(error).toMatchObject({ code: 'approval_required', reason: 'expired' });
    expect(error?.message).toContain('did not answer in time');
    const id = error?.approvalId ?? '';
    await expect(board.approvals.answer(id, { allow: true })).rejects.toThrow('expired at');
    expect(await board.approvals.get(id)).toMatchObject({ status: 'expired' });
  });

  it('withdraws its question when it is cancelled or the board closes', async () => {
    const board = await open();
    const stop = new AbortController();
    const call = board.call('send', { to: 'ada' }, { signal: stop.signal });
    const { id } = await waiting(board);
    stop.abort();
    expect((await call).error?.code).toBe('cancelled');
    await vi.waitFor(async () => expect(await board.approvals.get(id)).toMatchObject({ status: 'ended' }));
    const second = board.call('send', { to: 'bob' });
    await waiting(board);
    const other = await reopen();
    await board.close();
    expect((await second).ok).toBe(false);
    expect(await other.approvals.list()).toEqual([]);
  });

  it('runs with the arguments that a person edited, after they are checked and judged', async () => {
    const board = await open('tools: { send: { args: { to: { pattern: "[a-z]+" } } } }\napproval: { headless: wait }');
    const call = board.call('send', { to: 'ada', times: 3 });
    const { id } = await waiting(board);
    await expect(board.approvals.answer(id, { allow: true, args: { to: 7 } })).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
    await expect(
      board.approvals.answer(id, { allow: true, args: { to: 'bob' }, scope: 'session' }),
    ).rejects.toMatchObject({ field: 'scope' });
    await board.approvals.answer(id, { allow: true, args: { to: 'bob' } });
    const result = await call;
    expect(ran).toEqual([{ to: 'bob', times: 1 }]);
    expect(result).toMatchObject({ ok: true, meta: { approval: { id, edited: true } } });
    expect(result.text).toMatch(/^sent\n\nThe person who approved this call changed its arguments first/);
    const wrong = board.call('send', { to: 'ada' });
    await board.approvals.answer((await waiting(board)).id, { allow: true, args: { to: 'NO' } });
    expect((await wrong).error).toMatchObject({ code: 'invalid_arguments', field: 'to' });
    expect(ran).toHaveLength(1);
  });

  it('writes no permanent line that would look like something else', async () => {
    const board = await open();
    await board.call('send', { to: 'team\u202emoc.live@' }, later('k'));
    const { id } = await waiting(board);
    await expect(board.approvals.policyLine(id, 'arguments')).rejects.toThrow(
      'Calls of "send" cannot be allowed permanently: its arguments contain invisible characters.',
    );
    await expect(board.approvals.answer(id, { allow: true, scope: 'arguments' })).rejects.toThrow(
      'invisible characters',
    );
    expect((await board.approvals.policyLine(id, 'tool')).text).toMatch(
      /^- \{tool: send, risk: write, definition: sha256-/,
    );
  });

  it('keeps secrets out of the question, and in the arguments that a person leaves unchanged', async () => {
    writeFileSync(file, 'env: { MY_TOKEN: "${MY_TOKEN}" }\npolicy: { approval: { headless: wait } }\n');
    const board = await reopen({ env: { MY_TOKEN: 'sesame-open-123' } });
    const call = board.call('send', { to: 'x sesame-open-123' });
    const { id, input } = await waiting(board);
    expect(input).toEqual({ to: 'x [redacted]', times: 1 });
    await expect(board.approvals.policyLine(id, 'arguments')).rejects.toThrow('contain a secret');
    await board.approvals.answer(id, { allow: true, args: { to: 'x [redacted]', times: 2 } });
    await call;
    expect(ran).toEqual([{ to: 'x sesame-open-123', times: 2 }]);
  });

  it('is judged by the current policy when it resumes', async () => {
    const board = await open();
    const call = board.call('send', { to: 'ada' });
    const { id } = await waiting(board);
    writeFileSync(file, 'policy: { deny: [send] }');
    expect(await board.reload()).toEqual({ ok: true });
    await board.approvals.answer(id, { allow: true });
    expect((await call).error?.code).toBe('permission_denied');
    expect(ran).toEqual([]);
  });
});

describe('an approval for more than one call', () => {
  it('for the session applies to the tool in that session only', async () => {
    const board = await open();
    const ask = (to: string, sessionId: string): ReturnType<Board['call']> =>
      board.call('send', { to }, { context: { sessionId } });
    const first = ask('ada', 's1');
    await board.approvals.answer((await waiting(board)).id, { allow: true, scope: 'session' });
    await first;
    expect((await ask('bob', 's1')).ok).toBe(true);
    const other = ask('bob', 's2');
    const { id } = await waiting(board);
    await board.approvals.answer(id, { allow: false });
    expect((await other).ok).toBe(false);
    // Another process may have a different session with the same short name.
    const elsewhere = await reopen();
    const stop = new AbortController();
    const third = elsewhere.call('send', { to: 'ada' }, { context: { sessionId: 's1' }, signal: stop.signal });
    await waiting(board);
    stop.abort();
    await third;
  });

  it('that is permanent is a line in the policy that is shown first, with all comments kept', async () => {
    const board = await open(
      '# who may what\napproval: { headless: wait } # wait\napproved:\n  # old ones\n  - other # x',
    );
    const first = board.call('send', { to: '${HOME}' });
    const { id } = await waiting(board);
    expect(await board.approvals.policyLine(id, 'arguments')).toEqual({
      files: ['pegboard.yaml'],
      text: expect.stringMatching(
        /^- \{tool: send, args: \{to: '\$\$\{HOME\}', times: 1\}, risk: write, definition: sha256-[\w-]{43}\}$/,
      ),
    });
    expect(readFileSync(file, 'utf8')).not.toContain('send');
    await board.approvals.answer(id, { allow: true, scope: 'arguments' });
    expect((await first).ok).toBe(true);
    expect(readFileSync(file, 'utf8').replace(/, risk: write, definition: sha256-[\w-]{43}/, '')).toBe(
      'name: desk\npolicy:\n  # who may what\n  approval: { headless: wait } # wait\n  approved:\n    # old ones\n    - other # x\n' +
        "    - {tool: send, args: {to: '$${HOME}', times: 1}}\n",
    );
    expect((await board.call('send', { to: '${HOME}' })).ok).toBe(true);
    const second = board.call('send', { to: 'ada' });
    await board.approvals.answer((await waiting(board)).id, { allow: true, scope: 'tool' });
    await second;
    expect((await board.call('send', { to: 'eve' })).ok).toBe(true);
    expect((await (await reopen()).call('send', { to: 'zoe' })).ok).toBe(true);
  });
});

describe('a call that does not wait', () => {
  it('ends at once with the id of its question, and runs once on the answer', async () => {
    const board = await open();
    const call = (): ReturnType<Board['call']> => board.call('send', { to: 'ada' }, later('run/1/0'));
    const first = await call();
    expect(first.error).toMatchObject({ code: 'approval_required', reason: 'waits for an answer' });
    const id = first.error?.approvalId ?? '';
    expect(first.toJSON()).toMatchObject({ error: { approvalId: id } });
    expect((await call()).error?.approvalId).toBe(id);
    expect(await board.approvals.list()).toHaveLength(1);
    const other = await reopen();
    await other.approvals.answer(id, { allow: true });
    const [one, two] = await Promise.all([call(), other.call('send', { to: 'ada' }, later('run/1/0'))]);
    expect([one, two].filter(({ ok }) => ok)).toHaveLength(1);
    expect([one, two].find(({ ok }) => !ok)?.error).toMatchObject({ code: 'outcome_unknown', approvalId: id });
    expect(ran).toEqual([{ to: 'ada', times: 1 }]);
    expect((await call()).error?.code).toBe('outcome_unknown');
  });

  it('never uses an answer for other arguments, another key, tool or caller', async () => {
    const board = await open();
    const ids = new Set<unknown>();
    const calls = [
      [{ to: 'ada' }, later('k')],
      [{ to: 'bob' }, later('k')],
      [{ to: 'ada' }, later('j')],
      [{ to: 'ada' }, { ...later('k'), context: { caller: 'eve' } }],
    ] as const;
    for (const [args, options] of calls) ids.add((await board.call('send', args, options)).error?.approvalId);
    expect(ids.size).toBe(4);
    const [first] = ids;
    await board.approvals.answer(String(first), { allow: true });
    for (const [args, options] of calls.slice(1))
      expect((await board.call('send', args, options)).error?.code).toBe('approval_required');
    expect(await board.approvals.list({ caller: 'eve' })).toHaveLength(1);
    expect(ran).toEqual([]);
  });

  it('is refused with the reason, or runs with the edited arguments', async () => {
    const board = await open();
    const no = await board.call('send', { to: 'ada' }, later('a'));
    await board.approvals.answer(no.error?.approvalId ?? '', { allow: false, reason: 'No.' });
    expect((await board.call('send', { to: 'ada' }, later('a'))).error).toMatchObject({
      code: 'permission_denied',
      reason: 'No.',
    });
    const yes = await board.call('send', { to: 'ada' }, later('b'));
    await board.approvals.answer(yes.error?.approvalId ?? '', { allow: true, args: { to: 'bob' } });
    expect((await board.call('send', { to: 'ada' }, later('b'))).meta.approval?.edited).toBe(true);
    expect(ran).toEqual([{ to: 'bob', times: 1 }]);
  });

  it('may run again under its key if that changes nothing more', async () => {
    const put = makePut(true);
    const board = await open(POLICY, { tools: [put] });
    const { error } = await board.call('put', {}, later('a'));
    await board.approvals.answer(error?.approvalId ?? '', { allow: true });
    expect((await board.call('put', {}, later('a'))).ok).toBe(true);
    expect((await board.call('put', {}, later('a'))).ok).toBe(true);
    expect(ran).toHaveLength(2);
  });

  it('does not run again on a used approval if the tool needs a key for that and gets none', async () => {
    const board = await open(POLICY, { tools: [makePut('key')] });
    const { error } = await board.call('put', {}, later('a'));
    await board.approvals.answer(error?.approvalId ?? '', { allow: true });
    expect((await board.call('put', {}, later('a'))).ok).toBe(true);
    expect((await board.call('put', {}, later('a'))).error).toMatchObject({ code: 'outcome_unknown' });
    expect((await board.call('put', {}, { ...later('a'), idempotencyKey: 'k' })).ok).toBe(true);
    expect(ran).toHaveLength(2);
  });

  it('runs if the policy allows calls that no one can be asked about', async () => {
    const board = await open('approval: { headless: approve }');
    expect((await board.call('send', { to: 'ada' }, later('a'))).ok).toBe(true);
  });

  it('asks again after its question was withdrawn', async () => {
    const board = await open();
    const { error } = await board.call('send', { to: 'ada' }, later('a'));
    const id = error?.approvalId ?? '';
    expect(await board.approvals.withdraw(id)).toMatchObject({ status: 'ended' });
    await expect(board.approvals.answer(id, { allow: true })).rejects.toThrow('ended before it was answered');
    expect((await board.call('send', { to: 'ada' }, later('a'))).error?.reason).toBe('waits for an answer');
  });
});

it('resumes with a tool of a file that was reloaded because of a policy line, but not with a changed one', async () => {
  const tools = (words: string): string =>
    `tools: [{ name: print, description: ${words}, type: cli, command: printf done, risk: write }]\npolicy: { approval: { headless: wait } }\n`;
  writeFileSync(file, tools('Print'));
  const board = await reopen();
  const first = board.call('print', {});
  await board.approvals.answer((await waiting(board)).id, { allow: true, scope: 'arguments', by: 'ada' });
  expect((await first).text).toBe('done');
  writeFileSync(file, tools('Print'));
  await board.reload();
  const second = board.call('print', {});
  const { id } = await waiting(board);
  writeFileSync(file, tools('Erase'));
  await board.reload();
  await board.approvals.answer(id, { allow: true, by: 'ada' });
  expect((await second).error).toMatchObject({ code: 'permission_denied', reason: 'changed while it waited' });
});

it('yields waiting questions, new ones and answered ones', async () => {
  const board = await open();
  const other = await reopen();
  const stop = new AbortController();
  const followed = other.approvals.follow(stop.signal);
  const next = async (): Promise<unknown> => {
    const { value } = await followed.next();
    return value === undefined ? undefined : [value.input?.['to'], value.status];
  };
  const { error } = await board.call('send', { to: 'ada' }, later('a'));
  expect(await next()).toEqual(['ada', 'waiting']);
  await board.call('send', { to: 'bob' }, later('b'));
  expect(await next()).toEqual(['bob', 'waiting']);
  await board.approvals.answer(error?.approvalId ?? '', { allow: false });
  expect(await next()).toEqual([undefined, 'denied']);
  const last = next();
  stop.abort();
  expect(await last).toBe(undefined);
});

it('records the wait for a person: who was asked, who answered, and how long it took', async () => {
  const board = await open();
  writeFileSync(file, 'record: summary\npolicy: { approval: { headless: wait } }');
  await board.reload();
  const call = board.call('send', { to: 'sesame' });
  const { id, recordId = '' } = await waiting(board);
  await board.approvals.answer(id, { allow: true, by: 'ada' });
  await call;
  const recorded = await board.calls.get(recordId);
  expect(recorded).toMatchObject({ outcome: 'ok', stages: { person: expect.any(Number), guard: expect.any(Number) } });
  expect(recorded?.approvals).toMatchObject([
    {
      type: 'waiting',
      facts: { approval: id, risk: 'write', mayAnswer: expect.stringContaining('pegboard approvals') },
    },
    { type: 'answered', facts: { approval: id, allow: true, by: 'ada', scope: 'once' } },
  ]);
  expect(JSON.stringify(recorded)).not.toContain('sesame');
});

it('notifies a command and an address of a waiting question, without arguments, and continues when that fails', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
    request.on('end', () => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A server that listens on a port has an address of this shape.
  const { port } = server.address() as AddressInfo;
  const told = join(folder, 'told.json');
  const board = await open(
    `approval:\n  headless: wait\n  notify: { command: [tee, ${told}], url: 'http://127.0.0.1:${port}/secret-path' }`,
  );
  const failed = new Promise<unknown>((resolve) => board.on('notify-failed', resolve));
  const { error } = await board.call('send', { to: 'sesame' }, later('a'));
  const id = error?.approvalId;
  expect(await failed).toEqual({ id, message: `approval.notify: 127.0.0.1:${port} answered 500.` });
  const expected = {
    id,
    tool: 'send',
    risk: 'write',
    caller: '',
    by: 'code',
    text: expect.stringContaining(`allow ${id}`),
  };
  expect(JSON.parse(bodies.join(''))).toMatchObject(expected);
  await vi.waitFor(() => expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject(expected));
  expect(bodies.join('') + readFileSync(told, 'utf8')).not.toContain('sesame');
});

it('stores nothing for a board of code alone, unless a call asks for it', async () => {
  const board = await openBoard({ tools: [send], cwd: folder, policy: { approval: {} }, approve: () => true });
  onTestFinished(() => board.close());
  expect((await board.call('send', { to: 'ada' })).ok).toBe(true);
  expect(await board.approvals.list({ status: 'all' })).toEqual([]);
  expect((await board.call('send', { to: 'ada' }, later('a'))).error?.reason).toBe('waits for an answer');
  expect(await board.approvals.list()).toHaveLength(1);
});

describe('a tool that is changed after the answer', () => {
  const written = (command: string): string =>
    `tools: [{ name: publish, type: cli, description: P, command: ${command}, risk: write }]\npolicy: { approval: { headless: wait } }\n`;
  const change = async (board: Board, command: string): Promise<void> => {
    writeFileSync(file, written(command));
    await board.reload();
  };

  it('needs another approval, even under the same key', async () => {
    writeFileSync(file, written('echo good'));
    const board = await reopen();
    await board.call('publish', {}, later('k'));
    const { id } = await waiting(board);
    await board.approvals.answer(id, { allow: true });
    await change(board, 'echo other');
    const { error } = await board.call('publish', {}, later('k'));
    expect(error).toMatchObject({ code: 'approval_required' });
    expect(error?.approvalId).not.toBe(id);
    await change(board, 'echo good');
    expect((await board.call('publish', {}, later('k'))).text.trim()).toBe('good');
  });

  it('has no approval for the session any more', async () => {
    writeFileSync(file, written('echo good'));
    const board = await reopen();
    const call = board.call('publish', {});
    await board.approvals.answer((await waiting(board)).id, { allow: true, scope: 'session' });
    expect((await call).text.trim()).toBe('good');
    expect((await board.call('publish', {})).text.trim()).toBe('good');
    await change(board, 'echo other');
    expect((await board.call('publish', {}, later('k'))).error).toMatchObject({ code: 'approval_required' });
  });
});

it('prevents a caller from flooding people with questions, and their program with notifications', async () => {
  const script = join(folder, 'told.sh');
  // Prints how many of it run at once.
  writeFileSync(script, 'echo x > "$0.$$"; ls "$0".* | wc -l >> counts; cat > /dev/null; rm "$0.$$"');
  const board = await open(`approval: { headless: wait, notify: { command: [sh, ${script}] } }`);
  const context = { caller: 'eve' };
  const calls = Array.from({ length: 500 }, (_, index) =>
    board.call('send', { to: `${index}` }, { ...later(`k${index}`), context }),
  );
  expect(new Set((await Promise.all(calls)).map(({ error }) => error?.approvalId)).size).toBe(500);
  expect((await board.call('send', { to: 'ada' }, { ...later('more'), context })).error).toMatchObject({
    code: 'approval_required',
    reason: 'too many wait',
    message:
      'A person must approve this call of "send", and 500 calls of the same caller are waiting already (policy.approval.max_waiting). It has not run. Repeat it when some of those are answered.',
  });
  // Others are not delayed, and a waiting question is found again.
  expect((await board.call('send', { to: 'ada' }, later('own'))).error?.approvalId).toBeDefined();
  expect((await board.call('send', { to: '1' }, { ...later('k1'), context })).error?.approvalId).toBeDefined();
  const told = await vi.waitFor(() => readFileSync(join(folder, 'counts'), 'utf8'));
  const counts = told.trim().split('\n').map(Number);
  expect(Math.max(...counts)).toBeLessThanOrEqual(4);
}, 60_000);
