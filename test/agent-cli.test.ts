// `pegboard agent` as a real process, with a provider on this machine.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  type LoopbackProvider,
  startProvider,
  type WireReply,
  type WireRequest,
} from '../src/agent/loop/loopback-provider.test-helper.ts';
import { answerApproval, findLink, waitForApproval } from './answer-approval.test-helper.ts';
import { CLI } from './cli-program.test-helper.ts';
import { needs } from './needs.test-helper.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-agent-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let provider: LoopbackProvider | undefined;
afterEach(() => provider?.close());

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly script?: readonly WireReply[] | ((request: WireRequest, number: number) => WireReply);
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly agents?: string;
  /** Called with all that was printed so far. */
  readonly onOutput?: (printed: string, child: ReturnType<typeof spawn>) => void;
  /** Runs in a terminal. */
  readonly isTerminal?: boolean;
  /** Columns that the terminal reports. */
  readonly columns?: number;
}

async function pegboard(args: readonly string[], options: Started = {}): Promise<Outcome> {
  const { script = [], input = '', env = {}, onOutput } = options;
  const server = await startProvider((request, number) =>
    typeof script === 'function' ? script(request, number) : (script[number - 1] ?? { status: 418 }),
  );
  provider = server;
  const agents =
    options.agents ??
    `agents:
  helper:
    provider: openai-compatible
    model: loop-1
    base_url: ${server.url}
    api_key: \${LOOP_KEY:-none-at-all}
    system_file: prompt.md
    model_retries: 0
    approval: write
    prices: { input: 1, output: 2 }
`;
  writeFileSync(join(folder, 'prompt.md'), 'You are terse.');
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    `tools:
  - { name: say, type: cli, description: Say words, command: [echo], risk: read, args: [{ name: words, positional: true, required: true }] }
  - { name: touch, type: cli, description: Make a file, command: [touch], risk: write, args: [{ name: file, positional: true, required: true }] }
${agents}`,
  );
  const words = [process.execPath, CLI, 'agent', ...args];
  const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  const [command = '', ...rest] =
    options.isTerminal === true
      ? ['script', '-qefc', `stty cols ${options.columns ?? 120} rows 40; exec ${quoted}`, '/dev/null']
      : words;
  const child = spawn(command, rest, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
      TERM: 'dumb',
      ...env,
    },
    timeout: 200_000,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => onOutput?.((stdout += chunk.toString()), child));
  child.stdout.on('data', () => {});
  child.stderr.on('data', (chunk: Buffer) => onOutput?.(stdout + (stderr += chunk.toString()), child));
  if (onOutput === undefined) child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  if (onOutput === undefined) child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  if (options.isTerminal !== true) child.stdin.end(input);
  return new Promise((settle) => child.on('close', (code) => settle({ code, stdout, stderr })));
}

const say = (id: string, words: string): WireReply => ({ calls: [{ id, name: 'say', input: { words } }] });

describe('pegboard agent', () => {
  it('answers once, with the calls beside the answer', async () => {
    const { code, stdout, stderr } = await pegboard(['--once', 'Say hello'], {
      script: [{ text: 'One moment.', ...say('c1', 'hello there') }, { text: 'I said it.' }],
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'One moment.\nI said it.\n' });
    expect(stderr).toMatch(/^● say \{"words":"hello there"\} \d+ ms\n {2}hello there\n$/);
    expect(provider?.requests[0]?.body).toMatchObject({
      model: 'loop-1',
      stream: true,
      messages: [
        { role: 'system', content: 'You are terse.' },
        { role: 'user', content: 'Say hello' },
      ],
    });
  });

  it('answers in JSON for scripts, and exits with 1 for a failure', async () => {
    const good = await pegboard(['helper', '--once', 'Say hello', '--json'], {
      script: [say('c1', 'hello'), { text: 'Done.' }],
    });
    expect(good.code).toBe(0);
    expect(JSON.parse(good.stdout)).toMatchObject({
      ok: true,
      outcome: 'completed',
      agent: 'helper',
      text: 'Done.',
      steps: [
        {
          number: 1,
          calls: [
            { callId: 'c1', tool: 'say', input: { words: 'hello' }, result: { text: 'hello\n', is_error: false } },
          ],
        },
        { number: 2 },
      ],
      usage: { inputTokens: 200, cost: (200 + 20 * 2) / 1e6 },
    });
    const bad = await pegboard(['--once', 'Say hello', '--json'], { script: [{ status: 401 }] });
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      ok: false,
      outcome: 'model_failed',
      reason: expect.stringMatching(
        /^The model failed: status 401 \(http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions\)\. Check the key\.$/,
      ),
    });
    const shown = await pegboard(['--once', 'Say hello'], { script: [{ status: 401 }] });
    expect(shown).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^model_failed The model failed: status 401 \(http.*\)\. Check the key\.\n$/),
    });
  });

  it('chats over a pipe, with commands', async () => {
    const input = [
      'What can you do?',
      '/tools',
      '/search make a file',
      '/session',
      '/nonsense',
      'And now?',
      '/exit',
      'never asked',
    ].join('\n');
    const { code, stdout, stderr } = await pegboard([], {
      input,
      script: [{ text: 'Say things.' }, { text: 'Nothing more.' }],
    });
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'Say things.',
        'say\tpegboard\tread\tSay words',
        'touch\tpegboard\twrite\tMake a file',
        expect.stringContaining('output_read'),
        expect.stringContaining('output_search'),
        'touch\tpegboard\twrite\tMake a file',
        'This conversation is not saved (start with --session NAME): 2 messages, 110 tokens, cost 0.0001',
        'Nothing more.',
        '',
      ]
        .map((line, index) => (typeof line === 'string' ? line : (stdout.split('\n')[index] ?? '')))
        .join('\n'),
    );
    expect(stderr).toContain('There is no command "/nonsense". /help lists them.');
    expect(provider?.requests[1]?.body.messages.map(({ role }: { role: string }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
  });

  it('goes on with a session after a restart', async () => {
    await pegboard(['--session', 'work', '--once', 'Say hello'], { script: [say('c1', 'hello'), { text: 'Done.' }] });
    const { stdout } = await pegboard(['--session', 'work'], {
      input: 'What did I ask?\n/session\n',
      script: [{ text: 'To say hello.' }],
    });
    expect(stdout).toBe('To say hello.\nwork: 6 messages, 330 tokens, cost 0.0004\n');
    expect(provider?.requests[0]?.body.messages.map(({ role }: { role: string }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  it('refuses a call without approval, and runs it with --yes', async () => {
    const script = [{ calls: [{ id: 'c1', name: 'touch', input: { file: 'made.txt' } }] }, { text: 'Done.' }];
    const asked = await pegboard(['--once', 'Make a file'], { script });
    expect(asked.stderr).toContain('A person must approve calls of "touch" (risk: write)');
    const agreed = await pegboard(['--once', 'Make a file', '--yes'], { script });
    expect(agreed.stderr).toMatch(/^● touch \{"file":"made.txt"\} \d+ ms\n/);
  });

  it('has its calls answered on the page of --inspect where there is no terminal, and leaves stdout alone', async () => {
    const script = [
      { calls: [{ id: 'c1', name: 'touch', input: { file: 'made.txt' } }] },
      { calls: [{ id: 'c2', name: 'touch', input: { file: 'other.txt' } }] },
      { text: 'Done.' },
    ];
    const asked: unknown[] = [];
    let answering: Promise<void> | undefined;
    const answer = async (link: URL): Promise<void> => {
      const first = await waitForApproval(link);
      asked.push(first);
      await answerApproval(link, first.id, { decision: 'allow' });
      const second = await waitForApproval(link);
      await answerApproval(link, second.id, { decision: 'deny', reason: 'One is enough.' });
    };
    const { code, stdout } = await pegboard(['--once', 'Make files', '--json', '--inspect'], {
      script,
      onOutput: (printed) => {
        const link = findLink(printed);
        if (link !== undefined) answering ??= answer(link);
      },
    });
    await answering;
    expect(asked).toMatchObject([{ tool: 'touch', caller: 'agent helper', callId: 'c1', risk: 'write' }]);
    expect(code).toBe(0);
    const { steps } = JSON.parse(stdout);
    expect(steps[0].calls[0].result.is_error).toBe(false);
    expect(steps[1].calls[0].result.text).toContain('did not allow it: "One is enough."');
  });

  it('keeps the key out of everything it prints', async () => {
    const { stdout, stderr } = await pegboard(['--once', 'x', '--json'], {
      env: { LOOP_KEY: 'very-secret-key' },
      script: [say('c1', 'very-secret-key'), { text: 'ok' }],
    });
    expect(provider?.requests[0]?.headers.authorization).toBe('Bearer very-secret-key');
    expect(JSON.parse(stdout).steps[0].calls[0].result.text).not.toContain('very-secret-key');
    expect(stderr).toBe('');
  });

  it('says exactly what to set when there is no model, key or agent', async () => {
    const none = await pegboard(['--once', 'x'], { agents: '' });
    expect(none.code).toBe(1);
    expect(none.stderr).toBe(
      [
        'error No model is set. Do one of these:',
        '- export OPENAI_API_KEY=…, for OpenAI',
        '- export ANTHROPIC_API_KEY=…, for Anthropic',
        '- export PEGBOARD_MODEL=ollama/llama3.2, for a model on this machine (or lmstudio/…, vllm/…)',
        "- write provider and model under agents in pegboard.yaml; base_url is for any server that speaks OpenAI's format",
        '',
      ].join('\n'),
    );
    const noKey = await pegboard(['--once', 'x', '--model', 'anthropic/claude-sonnet-5']);
    expect(noKey.stderr).toContain('needs a key: set ANTHROPIC_API_KEY in the environment');
    const unknown = await pegboard(['helpr', '--once', 'x']);
    expect(unknown).toMatchObject({
      code: 2,
      stderr: 'error There is no agent "helpr". Did you mean: helper?\nRun "pegboard agent --help".\n',
    });
    expect(await pegboard(['--session', '', '--once', 'x'])).toMatchObject({
      code: 2,
      stderr: 'error --session needs a name, such as --session work.\nRun "pegboard agent --help".\n',
    });
  });

  it('says where a model is that cannot be reached, and what to look at', async () => {
    const agents =
      '\nagents: { lost: { provider: vllm, model: m, base_url: "http://127.0.0.1:1999/v1?key=x", model_retries: 0 } }\n';
    const { stderr } = await pegboard(['--once', 'x'], { agents });
    expect(stderr).toMatch(
      /^model_failed The model failed: Cannot connect to API: connect ECONNREFUSED 127\.0\.0\.1:1999 \(http:\/\/127\.0\.0\.1:1999\/v1.*\)\. Check that it is running, and check base_url \(in code baseUrl\)\.\n$/,
    );
    expect(stderr).not.toContain('key=x');
  });

  it('takes another model of the same provider with --model', async () => {
    const args = ['--once', 'x', '--model', 'openai-compatible/loop-2'];
    expect(await pegboard(args, { script: [{ text: 'ok' }] })).toMatchObject({ code: 0, stdout: 'ok\n' });
    expect(provider?.requests[0]?.body.model).toBe('loop-2');
  });

  it('takes provider, model and address from the environment', async () => {
    const reply = { text: 'ok' };
    const server = await startProvider(() => reply);
    try {
      const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url };
      expect(await pegboard(['--once', 'x'], { agents: '', env })).toMatchObject({ code: 0, stdout: 'ok\n' });
      expect(server.requests[0]).toMatchObject({ path: '/v1/messages', body: { model: 'claude-sonnet-5' } });
    } finally {
      await server.close();
    }
  });

  it('stops model and tools on Ctrl-C', async () => {
    let isStopped = false;
    const { code } = await pegboard(['--once', 'x'], {
      script: (_, number) =>
        number === 1 ? say('c1', 'hi') : { calls: [{ id: 'c2', name: 'say', input: { words: 'again' } }] },
      onOutput: (printed, child) => {
        if (!isStopped && printed.includes('● say')) isStopped = child.kill('SIGINT');
      },
    });
    expect(code).toBe(130);
  });

  it.each([120, 0])('asks the person at a terminal of %d columns', needs('script'), async (columns) => {
    let isAsked = false;
    let [isTold, isOver] = [false, false];
    const { stdout } = await pegboard([], {
      isTerminal: true,
      columns,
      script: [{ calls: [{ id: 'c1', name: 'touch', input: { file: 'approved.txt' } }] }, { text: 'Made it.' }],
      onOutput: (printed, child) => {
        if (!isTold && printed.includes('> ')) isTold = child.stdin?.write('Make a file\r') !== undefined;
        else if (!isAsked && printed.includes('Yes')) isAsked = child.stdin?.write('y') !== undefined;
        else if (!isOver && printed.includes('Made it.')) isOver = child.stdin?.write('/exit\r') !== undefined;
      },
    });
    expect(stdout).toContain('helper: 2 tools on the board. /help for commands, /exit to leave.');
    expect(stdout).toContain('Allow touch (write) with these arguments?\r\n  file: "approved.txt"\r\n');
    expect(stdout).toContain('Allow this call of touch (write)?');
    expect(stdout).toContain('Made it.');
  });

  it('asks at the terminal and on the page of --inspect, and takes the first answer', needs('script'), async () => {
    let [isTold, isByHand, isOver] = [false, false, false];
    let answering: Promise<number> | undefined;
    const touch = (id: string, file: string): WireReply => ({ calls: [{ id, name: 'touch', input: { file } }] });
    const { stdout } = await pegboard(['--inspect'], {
      isTerminal: true,
      script: [touch('c1', 'page.txt'), touch('c2', 'terminal.txt'), { text: 'Made both.' }],
      onOutput: (printed, child) => {
        const link = findLink(printed);
        if (!isTold && printed.includes('> ')) isTold = child.stdin?.write('Make files\r') !== undefined;
        else if (link !== undefined && printed.includes('Yes')) {
          answering ??= waitForApproval(link).then(({ id }) => answerApproval(link, id, { decision: 'allow' }));
        }
        const second = printed.split('● touch')[1];
        if (!isByHand && second?.includes('Yes') === true) isByHand = child.stdin?.write('y') !== undefined;
        if (!isOver && printed.includes('Made both.')) isOver = child.stdin?.write('/exit\r') !== undefined;
      },
    });
    expect(await answering).toBe(200);
    expect(stdout).toMatch(/● touch.*page\.txt[^]*● touch.*terminal\.txt[^]*Made both\./);
  });

  it('stops an answer on Ctrl-C at a terminal, and the conversation goes on', needs('script'), async () => {
    let child: ReturnType<typeof spawn> | undefined;
    let [isTold, isOver] = [false, false];
    const server = await startProvider(() => {
      child?.stdin?.write('\u0003');
      return { calls: [{ id: 'c1', name: 'wait', input: {} }] };
    });
    try {
      const { code, stdout } = await pegboard([], {
        isTerminal: true,
        agents: '  - { name: wait, type: cli, description: Wait long, command: sleep 100, risk: read }\n',
        env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url },
        onOutput: (printed, started) => {
          child = started;
          if (!isTold && printed.includes('> ')) isTold = child.stdin?.write('Wait\r') !== undefined;
          else if (!isOver && printed.includes('The run was cancelled.'))
            isOver = child.stdin?.write('/session\r/exit\r') !== undefined;
        },
      });
      expect(code).toBe(0);
      expect(stdout).toContain('This conversation is not saved');
    } finally {
      await server.close();
    }
  });
});

it('renders the Markdown of an answer at a terminal, with tokens and cost below it', async () => {
  const said = '## Plan\n\n- **buy** \u001B[8mmilk\n\n| a | b |\n|---|---|\n| 1 | 2 |';
  const script = [{ text: said }];
  const shown = await pegboard(['helper', '--once', 'Plan'], { script, isTerminal: true, env: { NO_COLOR: '1' } });
  expect(shown.stdout.replaceAll('\r\n', '\n')).toMatch(
    /Plan\n\n• buy \\u001b\[8mmilk\n\na {2}b\n1 {2}2\n[\d,]+ tokens, cost 0\.\d{4}\n/,
  );
  const piped = await pegboard(['helper', '--once', 'Plan'], { script });
  expect([piped.stdout, piped.stderr]).toEqual([expect.stringContaining('- **buy**'), '']);
});
