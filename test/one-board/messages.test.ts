// Messages that pass through a front: whose they are, what they look like, and what becomes of them when a board is gone.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture, installed } from '../upstream-boards.test-helper.ts';
import { type FrontClient, type Message, textOf } from './front-client.test-helper.ts';
import { createMachine, kill, type Machine, SAY } from './machine.test-helper.ts';

async function closeAll(machine: Machine, fronts: readonly FrontClient[]): Promise<void> {
  await Promise.all(fronts.map((front) => front.close()));
  await machine.end();
}

/** A tool that runs a script of the shell. */
function shell(name: string, script: string, more: object = {}): object {
  return { name, type: 'run', description: name, commands: [{ cmd: 'sh', args: ['-c', script] }], ...more };
}

describe('among twenty fronts', () => {
  const TWENTY = Array.from({ length: 20 }, (_, at) => at);

  it('questions, samples, roots, progress and cancellations reach their own', async () => {
    const machine = createMachine();
    const desk = { ...fixture('desk-server.ts'), protocol: '2025-11-25', share: 'board' };
    machine.write({
      serve: { mode: 'classic' },
      policy: { approval: { global: 'destructive' } },
      processes: { concurrency: 64 },
      tools: [
        { name: 'sink', type: 'cli', description: 'Sink', command: 'echo sunk', risk: 'destructive', args: SAY.args },
        shell('steps', 'for n in 1 2 3; do echo $n; done', { progress: 'lines' }),
        shell('hold', `echo $$ >> ${machine.folder}/held; exec sleep 1000`, { timeout: '1h' }),
      ],
      // Each list of folders has a process of the server.
      mcpServers: {
        desk,
        mine: { ...desk, share: 'user', max_instances: 40 },
        every: { ...installed('server-everything', 'stdio'), protocol: '2025-11-25' },
      },
    });
    const capabilities = { elicitation: {}, sampling: {}, roots: {} };
    const fronts = await Promise.all(TWENTY.map(() => machine.open({ capabilities })));
    const asked: string[][] = fronts.map(() => []);
    for (const [at, front] of fronts.entries()) {
      front.answer = (method, params) => {
        asked[at]?.push(`${method} ${JSON.stringify(params)}`);
        if (method === 'roots/list') return { roots: [{ uri: `file:///folder-${at}`, name: 'x' }] };
        if (method === 'sampling/createMessage')
          return { role: 'assistant', model: 'm', content: { type: 'text', text: `sampled by ${at}` } };
        // Each second person declines.
        if (JSON.stringify(params).includes('sink'))
          return at % 2 === 0 ? { action: 'accept', content: { approve: true } } : { action: 'decline' };
        return { action: 'accept', content: { answer: `answer ${at}` } };
      };
    }
    expect(machine.boards()).toHaveLength(1);
    const each = <T>(run: (front: FrontClient, at: number) => Promise<T>): Promise<T[]> => Promise.all(fronts.map(run));

    expect(await each((front, at) => front.text('desk__ask', { about: `question ${at}` }))).toEqual(
      TWENTY.map((at) => `question ${at}: accept answer ${at}`),
    );
    for (const [at, questions] of asked.entries()) expect(questions.join()).toContain(`question ${at}`);
    expect(await each(async (front, at) => (await front.text('sink', { text: `${at}` })).startsWith('sunk'))).toEqual(
      TWENTY.map((at) => at % 2 === 0),
    );
    const sampled = await each((front) => front.text('every__trigger-sampling-request', { prompt: 'x', maxTokens: 5 }));
    for (const [at, text] of sampled.entries()) expect(text).toContain(`sampled by ${at}`);
    // Asked at the same time for different folders, a server that has just started gets none.
    await fronts[0]?.text('mine__folders');
    const roots = await each((front) => front.text('mine__folders'));
    for (const [at, text] of roots.entries()) expect(text).toContain(`file:///folder-${at}`);
    await each((front, at) => front.call('steps', {}, { progressToken: `token-${at}` }));
    for (const [at, front] of fronts.entries()) {
      const tokens = front.notified('notifications/progress').map(({ params }) => (params as Message)['progressToken']);
      expect(new Set(tokens)).toEqual(new Set([`token-${at}`]));
    }
    for (const front of fronts) void front.request('tools/call', { name: 'hold', arguments: {} }, 'same-id');
    const held = (): number[] => readFileSync(join(machine.folder, 'held'), 'utf8').trim().split('\n').map(Number);
    await expect.poll(() => existsSync(join(machine.folder, 'held')) && held().length).toBe(20);
    const running = (): number => held().filter((pid) => existsSync(`/proc/${pid}/cwd/`)).length;
    for (const [at, front] of fronts.entries())
      if (at < 7) front.send({ method: 'notifications/cancelled', params: { requestId: 'same-id' } });
    await expect.poll(running).toBe(13);
    // The others still wait, and are answered when they are cancelled by their end.
    for (const front of fronts.slice(0, 7)) expect(await front.text('steps')).toContain('3');
    expect(running()).toBe(13);
    await closeAll(machine, fronts);
    expect(running()).toBe(0);
  });

  it('each has the mode that it asks for', async () => {
    const machine = createMachine();
    const namesOf = async (front: FrontClient): Promise<string[]> => {
      const { result } = await front.request('tools/list');
      // A list has tools.
      return ((result ?? {})['tools'] as { name: string }[]).map(({ name }) => name);
    };
    const classic = await machine.open({ args: ['--mode', 'classic'] });
    const discovery = await machine.open({ args: ['--mode=discovery'] });
    const climax = await machine.open({ args: ['--mode', 'discovery', '--compat', 'climax'] });
    expect(machine.boards()).toHaveLength(1);
    expect(await namesOf(classic)).toContain('say');
    expect(await namesOf(discovery)).toEqual(expect.arrayContaining(['search_tools', 'call_tool']));
    expect(await namesOf(discovery)).not.toContain('say');
    expect(await namesOf(climax)).not.toEqual(await namesOf(discovery));
    await closeAll(machine, [classic, discovery, climax]);
  });
});

describe('a board that is killed', () => {
  it('is followed by one that runs what is safe to repeat, and says so of the rest', async () => {
    const machine = createMachine();
    const log = join(machine.folder, 'log');
    const go = join(machine.folder, 'go');
    const wait = (name: string): string => `echo ${name} >> ${log}; until [ -e ${go} ]; do sleep 0.02; done; echo done`;
    machine.write({
      serve: { mode: 'classic' },
      tools: [
        shell('look', wait('look'), { risk: 'read' }),
        shell('put', wait('put'), { risk: 'write', idempotent: true }),
        shell('send', wait('send'), { risk: 'write' }),
      ],
    });
    const front = await machine.open();
    const calls = ['look', 'put', 'send'].map((name) => front.call(name));
    const logged = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').toSorted() : []);
    await expect.poll(logged).toEqual(['look', 'put', 'send']);
    kill(machine.board().pid);
    const sent = await calls[2];
    expect(sent?.result?.['isError']).toBe(true);
    expect(textOf(sent ?? {})).toBe(
      'The board ended while "send" ran, so it may have had effects. Check what it did before you call it again.',
    );
    await expect.poll(logged).toEqual(['look', 'look', 'put', 'put', 'send']);
    writeFileSync(go, '');
    expect((await Promise.all(calls.slice(0, 2))).map(textOf)).toEqual(['done\n', 'done\n']);
    expect(front.errors).toContain('the board has ended; the next message starts it again');
    for (const list of ['tools', 'prompts', 'resources'])
      expect(front.notified(`notifications/${list}/list_changed`)).toHaveLength(1);
    // The handshake that the front repeated is not the client's.
    expect(front.messages.filter(({ id }) => String(id).startsWith('pegboard-front'))).toEqual([]);
    await closeAll(machine, [front]);
  });

  it('by a call twice is not started a third time for it', async () => {
    const machine = createMachine();
    const starts = join(machine.folder, 'starts');
    // `$PPID` of a command is the board.
    machine.write({
      serve: { mode: 'classic' },
      tools: [shell('poison', `echo x >> ${starts}; kill -9 $PPID; sleep 1000`, { risk: 'read' }), SAY],
    });
    const front = await machine.open();
    expect(await front.text('poison')).toBe(
      'The board ended twice while it ran this request, which may have had effects. Check before you repeat it.',
    );
    expect(readFileSync(starts, 'utf8')).toBe('x\nx\n');
    expect(await front.text('say', { text: 'on' })).toBe('on\n');
    await closeAll(machine, [front]);
  });

  it('takes its questions back', async () => {
    const machine = createMachine();
    const desk = { ...fixture('desk-server.ts'), protocol: '2025-11-25', share: 'board' };
    machine.write({ serve: { mode: 'classic' }, mcpServers: { desk } });
    const front = await machine.open({ capabilities: { elicitation: {} } });
    const asked: Message[] = [];
    // Nobody answers.
    front.answer = (_method, params) => void asked.push(params);
    const call = front.call('desk__ask', { about: 'tea' });
    await front.until(() => asked.length > 0);
    const question = front.messages.find(({ method }) => method === 'elicitation/create');
    kill(machine.board().pid);
    await front.until(() => front.notified('notifications/cancelled').length > 0);
    expect(front.notified('notifications/cancelled')).toMatchObject([
      { params: { requestId: question?.['id'], reason: 'The board that asked has ended.' } },
    ]);
    expect(textOf(await call)).toContain('may have had effects');
    await closeAll(machine, [front]);
  });

  it('leaves its log level and subscriptions to the next', async () => {
    const machine = createMachine();
    const late = { ...fixture('late-log-server.ts'), protocol: '2025-11-25' };
    const write = (description: string): void =>
      machine.write({ serve: { mode: 'classic' }, tools: [{ ...SAY, description }], mcpServers: { late } });
    write('Say something');
    const front = await machine.open();
    const work = async (): Promise<unknown[]> => {
      const before = front.notified('notifications/message').length;
      await front.text('late__work', { who: 'Ada' });
      await front.until(() =>
        front
          .notified('notifications/message')
          .slice(before)
          .some(({ params }) => JSON.stringify(params).includes('late word')),
      );
      return front
        .notified('notifications/message')
        .slice(before)
        .map(({ params }) => (params as Message)['level']);
    };
    expect(await work()).toEqual(['warning']);
    expect((await front.request('resources/subscribe', { uri: 'pegboard://tools/say' })).error).toBeUndefined();
    expect((await front.request('logging/setLevel', { level: 'debug' })).error).toBeUndefined();
    kill(machine.board().pid);
    await front.until(() => front.errors.includes('the board has ended'));
    expect(await work()).toEqual(['debug', 'warning']);
    expect(front.notified('notifications/resources/updated')).toEqual([]);
    write('Say something else');
    await front.until(() => front.notified('notifications/resources/updated').length > 0);
    expect(front.notified('notifications/resources/updated')[0]).toMatchObject({
      params: { uri: 'pegboard://tools/say' },
    });
    await closeAll(machine, [front]);
  });

  it('leaves streams of the stateless revision to the next, which announces its lists', async () => {
    const machine = createMachine({ serve: { mode: 'classic' }, tools: [SAY] });
    const front = machine.start();
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    void front.request('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta }, 'stream');
    await front.until(() => front.notified('notifications/subscriptions/acknowledged').length === 1);
    const say = (): Promise<unknown> =>
      front.request('tools/call', { name: 'say', arguments: { text: 'x' }, _meta }).then(textOf);
    for (const [at, signal] of (['SIGTERM', 'SIGKILL'] as const).entries()) {
      const { pid } = machine.board();
      kill(pid, signal);
      await expect.poll(() => existsSync(`/proc/${pid}/cwd/`)).toBe(false);
      expect(await say()).toBe('x\n');
      await front.until(() => front.notified('notifications/tools/list_changed').length === at + 1);
    }
    machine.write({ serve: { mode: 'classic' }, tools: [SAY, shell('more', 'true')] });
    await front.until(() => front.notified('notifications/tools/list_changed').length === 3);
    expect(front.notified('notifications/tools/list_changed').map(({ params }) => params)).toEqual(
      Array.from({ length: 3 }, () => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': 'stream' } })),
    );
    // The stream has no answer before it ends.
    expect(front.messages.filter(({ id }) => id === 'stream')).toEqual([]);
    await closeAll(machine, [front]);
  });
});

describe('a line', () => {
  it('of eight megabytes passes both ways, and a longer one is refused by its id', async () => {
    const machine = createMachine({
      serve: { mode: 'classic' },
      max_model_output: 10_000_000,
      tools: [{ type: 'script', file: './tools.js' }],
    });
    const code = `export const double = {
      metadata: { name: 'double', description: 'Double', maxOutput: 10_000_000 },
      schema: { type: 'object', properties: { text: { type: 'string' } } },
      execute: ({ text }) => text + text,
    };`;
    writeFileSync(join(machine.folder, 'tools.js'), code);
    const front = await machine.open();
    // Arguments have a limit of their own.
    const [text, padding] = ['x'.repeat(3_900_000), 'y'.repeat(4_000_000)];
    expect(textOf(await front.call('double', { text }, { padding })) === text + text).toBe(true);
    // As the first official library writes them, with the id at the end.
    const params = { name: 'double', arguments: { text }, _meta: { padding } };
    front.write(`${JSON.stringify({ method: 'tools/call', params, jsonrpc: '2.0', id: 'last' })}\n`);
    await front.until(() => front.lines.at(-1)?.startsWith('{"jsonrpc":"2.0","id":"last","result"') === true);
    const long = await front.call('double', { text: 'x'.repeat(9_000_000) });
    expect(long.error).toMatchObject({
      code: -32_600,
      message: expect.stringMatching(/^The message has 9000\d+ bytes; 8388608 is the most\./),
    });
    expect(await front.text('double', { text: 'short' })).toBe('shortshort');
    await closeAll(machine, [front]);
  });

  it('that is no request is answered as without a front', async () => {
    const lines = [
      '{"no json',
      '#{"type":"leaving"}',
      '# a comment',
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
      '7',
      'null',
      '{"jsonrpc":"1.0","id":5,"method":"ping"}',
      '{"jsonrpc":"2.0","id":null,"method":"ping"}',
      '',
    ];
    const machine = createMachine();
    const answers = async (args: readonly string[]): Promise<unknown[]> => {
      const front = await machine.open({ args });
      for (const line of lines) front.write(`${line}\n`);
      await front.request('ping', {}, 'last');
      const seen = front.messages.slice(1);
      await front.close();
      // A line that begins with a comment is passed on behind a space.
      return seen.map((message) => JSON.stringify(message).replaceAll(/not JSON: .*"/g, 'not JSON"'));
    };
    expect(await answers([])).toEqual(await answers(['--standalone']));
    await machine.end();
  });

  it('has any id that JSON has', async () => {
    const machine = createMachine();
    const front = await machine.open();
    const ids = [
      '1e3',
      '-0',
      '1.5',
      '1e21',
      '-7',
      '"a\\"b\\\\c"',
      '"\\u00e9 \\ud83d\\ude00 ü"',
      '""',
      '"pegboard-1"',
      '"\\n"',
      '9007199254740993',
    ];
    for (const id of ids) {
      front.write(`{"id":${id},"jsonrpc":"2.0","method":"ping"}\n`);
      const value: unknown = JSON.parse(id);
      await front.until(() =>
        front.messages.some((message) => Object.is(message['id'], value) || message['id'] === value),
      );
    }
    const long = 'i'.repeat(257);
    expect((await front.request('ping', {}, long)).error).toEqual({
      code: -32_600,
      message: 'The id of a request has more than 256 characters. Use a shorter one.',
    });
    // No id is left that would keep the front.
    expect(await front.close()).toBe(0);
    await machine.end();
  });

  it('that comes in pieces, or with others, is one message', async () => {
    const machine = createMachine();
    const front = await machine.open();
    const ping = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`;
    for (const byte of ping(101)) front.write(byte);
    front.write(ping(102) + ping(103) + ping(104).slice(0, 20));
    front.write(`${ping(104).slice(20)}\r\n${ping(105)}`);
    await front.until(() => front.messages.some(({ id }) => id === 105));
    expect(front.messages.slice(1).map(({ id }) => id)).toEqual([101, 102, 103, 104, 105]);
    await closeAll(machine, [front]);
  });
});

it('reloads an edited file without --watch, and tells every front', async () => {
  const machine = createMachine();
  const fronts = await Promise.all([machine.open(), machine.open()]);
  machine.write({ serve: { mode: 'classic' }, tools: [SAY, shell('more', 'echo more')] });
  for (const front of fronts) {
    await front.until(() => front.notified('notifications/tools/list_changed').length > 0);
    expect(await front.text('more')).toBe('more\n');
    expect(front.errors).toContain('reloaded: ');
  }
  await closeAll(machine, fronts);
});
