// Text of others never reaches a terminal unescaped. Every command runs in a real one, on a board that is full of escapes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startProvider } from '../../src/agent/loop/loopback-provider.test-helper.ts';
import { findHidden, revealHidden } from '../../src/tool/texts/reveal-hidden.ts';
import { HOSTILE, SHOWN } from '../fixtures/mcp/hostile-words.ts';
import { ALONE, CLI, entryFile, fixtureFile } from '../cli-program.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

const LIBRARY = entryFile('index');
const SERVER = fixtureFile('hostile-server');

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-terminal-'));
  const traits = {
    title: `T ${HOSTILE}`,
    category: `c${HOSTILE}`,
    tags: [`t${HOSTILE}`],
    usage_notes: `Note ${HOSTILE}`,
    limitations: [`Limit ${HOSTILE}`],
    examples: [{ description: `Example ${HOSTILE}`, input: { text: HOSTILE } }],
    utterances: [`say ${HOSTILE}`],
  };
  const args = [{ name: 'text', description: `Words ${HOSTILE}`, default: HOSTILE, positional: true }];
  const print = [process.execPath, '-e', `process.stdout.write(${JSON.stringify(HOSTILE)})`, '--'];
  const fail = [process.execPath, '-e', `process.stderr.write(${JSON.stringify(HOSTILE)}); process.exit(3)`, '--'];
  const tool = (name: string, more: object): object => ({ name, type: 'cli', description: `Do ${HOSTILE}`, ...more });
  write('pegboard.yaml', {
    name: `board ${HOSTILE}`,
    description: HOSTILE,
    tools: [
      tool('look', { ...traits, command: print, risk: 'read', args }),
      tool('fail', { command: fail, risk: 'read' }),
      tool('gone', { command: [`missing${HOSTILE}`], risk: 'read' }),
      tool('wipe', { command: ['true'], risk: 'destructive', args, confirm_message: `Wipe {text}? ${HOSTILE}` }),
      { name: 'open', type: 'http', description: 'Open', requests: [{ url: `http://127.0.0.1:9/${HOSTILE}` }] },
    ],
    mcpServers: {
      hostile: { command: process.execPath, args: [SERVER] },
      [`dead${HOSTILE}`]: { command: `missing${HOSTILE}` },
    },
    policy: { approval: { global: 'destructive' }, tools: { [`none${HOSTILE}`]: {} }, default: 'enabled' },
  });
  write('broken.yaml', {
    tools: [{ name: `n${HOSTILE}`, type: `t${HOSTILE}`, [`k${HOSTILE}`]: HOSTILE }],
    [HOSTILE]: 1,
  });
  writeFileSync(join(folder, 'syntax.yaml'), `tools: [\n  a: "${HOSTILE}\n`);
  mkdirSync(join(folder, 'odd'));
  writeFileSync(join(folder, `odd/file${HOSTILE.replaceAll('/', '')}.yaml`), 'tools: 3\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, config: unknown): void {
  writeFileSync(join(folder, name), JSON.stringify(config));
}

interface Terminal {
  /** Called with all that was printed so far. */
  readonly onOutput?: (printed: string, child: ChildProcess) => void;
  readonly cwd?: string;
}

/** Runs a command in a terminal, and gives every byte that reached it. */
function run(args: readonly string[], { onOutput, cwd = folder }: Terminal = {}): Promise<string> {
  const words = [process.execPath, CLI, ...args];
  const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  // Its own size, and no echo of what is typed: both are the terminal's words, not the command's.
  const child = spawn('script', ['-qefc', `stty cols 200 rows 50 -echo; exec ${quoted}`, '/dev/null'], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
      TERM: 'xterm-256color',
      ...ALONE,
    },
  });
  onTestFinished(() => void child.kill());
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => onOutput?.((printed += text), child));
  if (onOutput === undefined) child.stdout.on('data', (text: string) => (printed += text));
  return new Promise((resolve) => child.on('close', () => resolve(printed)));
}

/** Returns the rest of an output without the board's own colours, the line that it clears and the terminal's line ends. */
function foreign(printed: string): unknown {
  const rest = printed
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    .replaceAll(/\u001b\[(?:1|2|22|31|32|33|36|39)m/g, '')
    .replaceAll('\r\u001b[K', '')
    .replaceAll('\r\n', '\n');
  return findHidden(rest).map(({ index, text }) => ({ text, around: rest.slice(Math.max(0, index - 60), index + 60) }));
}

/** Each of them has words of others to print. */
const COMMANDS: readonly (readonly string[])[] = [
  ['list'],
  ['list', '--json'],
  ['search', 'does it', '--explain'],
  ['show', 'look'],
  ['show', 'hostile__answer'],
  ['call', 'fail'],
  ['call', 'gone'],
  ['call', 'open'],
  ['call', 'hostile__fail'],
  ['call', 'hostile__crash'],
  ['call', 'hostile__refuse'],
  ['call', 'hostile__answer', '--json'],
  ['call', 'look', '--dry-run'],
  ['call', 'look', '--arg', `text${HOSTILE}=1`],
  ['call', `name${HOSTILE}`],
  ['call', 'look', '--args', `{${HOSTILE}`],
  ['validate'],
  ['validate', 'broken.yaml'],
  ['validate', 'syntax.yaml'],
  ['validate', 'odd'],
  ['validate', `missing${HOSTILE}.yaml`],
  ['doctor'],
  ['doctor', '--online'],
  ['lock', '--yes'],
  ['lock', '--check'],
  ['prompt', '--examples', '--notes', '--limitations', '--group'],
  ['tokens'],
  ['export', '--format', 'openai', '--strict'],
  ['export', '--format', 'mcp'],
  ['export', '--format', 'prompt'],
  ['mcp', 'login', `server${HOSTILE}`],
  ['agent', `agent${HOSTILE}`, '--once', 'x'],
  ['serve', '--print-config', 'claude-code'],
  ['serve', `missing${HOSTILE}.yaml`],
  ['import', 'cli', `missing${HOSTILE}`],
  [`command${HOSTILE}`],
  ['list', `--option${HOSTILE}`],
];

const WRITTEN = 'X\\u001b[2J';

describe('a terminal', needs('script'), () => {
  it.for(COMMANDS.map((args) => ({ args, name: revealHidden(args.join(' ')) })))(
    'gets nothing of others as it is: $name',
    async ({ args }) => {
      const printed = await run(args);
      expect(printed).not.toBe('');
      expect(foreign(printed)).toEqual([]);
    },
  );

  it('shows a result without its colours, and what it hides spelt out', async () => {
    const printed = await run(['call', 'look']);
    expect(foreign(printed)).toEqual([]);
    expect(printed.split('\r\n').at(-2)).toBe('XL\\u000dY\\u202e\\u200b\\u{e0041}\\u3164');
  });

  it('shows where the words of others are, and keeps its own colours', async () => {
    const listed = await run(['list']);
    expect(listed).toContain('\u001b[36mlook\u001b[39m');
    expect(listed).toContain(WRITTEN);
    expect(await run(['show', 'hostile__answer'])).toContain(`Does it ${SHOWN}\r\nsecond line ${SHOWN}`);
    expect(await run(['validate', 'broken.yaml'])).toContain(WRITTEN);
  });

  it('shows the whole of an approval, and runs nothing without a yes', async () => {
    let isAnswered = false;
    const printed = await run(['call', 'wipe', '--arg', `text=${HOSTILE}`], {
      onOutput: (so_far, child) => {
        if (!isAnswered && so_far.includes('No')) isAnswered = child.stdin?.write('n') !== undefined;
      },
    });
    const quoted = SHOWN.replace('\\u001b\\L', String.raw`\u001b\\L`)
      .replace('\\u000d', String.raw`\r`)
      .replace('\\u0008', String.raw`\b`);
    expect(printed).toContain(`wipe (destructive): Wipe "${quoted}"? ${SHOWN}\r\n`);
    expect(printed).toContain('Allow this call of wipe (destructive)?');
    for (const part of ['\u001b[35m', '\u001b[2J', '\u001b]', '\u0007', '\u0008', '\u009b', '\u0090', '\u202e']) {
      expect(printed).not.toContain(part);
    }
    expect(printed).toContain('permission_denied');
  });

  it('shows what Node itself would print: an error that was not caught, and a warning', async () => {
    const cwd = join(folder, 'script');
    mkdirSync(cwd);
    const words = JSON.stringify(HOSTILE);
    const fall = `process.emitWarning('careful ' + ${words}); setImmediate(() => { throw new Error('fell ' + ${words}); });`;
    const tool = `{ name: 'fall', description: 'Falls', schema: { type: 'object' }, execute: () => { ${fall} return new Promise(() => {}); } }`;
    writeFileSync(
      join(cwd, 'tools.mjs'),
      `import { defineTool } from ${JSON.stringify(LIBRARY)};\nexport default [defineTool(${tool})];`,
    );
    write('script/pegboard.yaml', {
      tools: [{ type: 'script', file: 'tools.mjs' }],
      policy: { approval: { global: 'none' } },
    });
    const printed = await run(['call', 'fall'], { cwd });
    expect(foreign(printed)).toEqual([]);
    expect(printed).toContain(`careful ${SHOWN}`);
    expect(printed).toContain(`fell ${SHOWN}`);
  });

  it('offers to print a call that is too large for a question before it asks', async () => {
    const text = `${'a'.repeat(30_000)}HARM${'b'.repeat(30_000)}`;
    const answers = ['y', 'n'];
    const seen = ['characters before you answer?', 'Allow this call of wipe (destructive)?'];
    const printed = await run(['call', 'wipe', '--args', JSON.stringify({ text })], {
      onOutput: (so_far, child) => {
        const [question] = seen;
        if (question === undefined || !so_far.slice(so_far.indexOf(question)).includes('No')) return;
        if (!so_far.includes(question)) return;
        seen.shift();
        child.stdin?.write(answers.shift() ?? '');
      },
    });
    const offered = printed.indexOf('characters before you answer?');
    const found = ['NOT ALL OF IT IS SHOWN: 40,0', text, 'permission_denied'].map((part) => printed.indexOf(part));
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(found[0]).toBeGreaterThan(0);
    expect(found[0]).toBeLessThan(offered);
    expect(printed.indexOf('HARM')).toBeGreaterThan(offered);
  });

  it('shows what an agent says and calls', async () => {
    const provider = await startProvider((_, number) =>
      number === 1
        ? { text: `Calling ${HOSTILE}`, calls: [{ id: 'c1', name: 'look', input: { text: HOSTILE } }] }
        : { text: `Family 👩‍👩‍👧 ${HOSTILE}` },
    );
    onTestFinished(() => provider.close());
    const cwd = join(folder, 'agent');
    mkdirSync(cwd);
    const tool = { type: 'cli', name: 'look', description: HOSTILE, command: ['echo'], risk: 'read' };
    const text = { name: 'text', positional: true };
    const helper = { provider: 'openai-compatible', model: 'loop-1', base_url: provider.url, api_key: 'none-at-all' };
    write('agent/pegboard.yaml', { tools: [{ ...tool, args: [text] }], agents: { helper } });
    const printed = await run(['agent', '--once', 'Go'], { cwd });
    expect(foreign(printed)).toEqual([]);
    expect(printed).toContain(`Family 👩‍👩‍👧 ${SHOWN}`);
  });
});

describe('a pipe', () => {
  it('gets every byte of a result, and messages spelt out', () => {
    const call = (...args: readonly string[]): { readonly stdout: string; readonly stderr: string } =>
      spawnSync(process.execPath, [CLI, 'call', ...args], { cwd: folder, encoding: 'utf8', input: '' });
    expect(call('hostile__answer').stdout).toBe(`answer ${HOSTILE}\n`);
    const failed = call('fail');
    expect(findHidden(failed.stderr)).toEqual([]);
    const { stdout } = call('hostile__answer', '--json');
    expect(findHidden(stdout)).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({ text: `answer ${HOSTILE}` });
  });
});
