// A board that runs for a long time reloads when its files change, but rules, code and servers wait for a person.
import { execFile } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../src/index.ts';
import { startInspector } from '../src/inspector.ts';
import { answerApproval, waitForApproval } from './answer-approval.test-helper.ts';
import { carefulFolder, type CarefulFolder, type OtherBoard, type Told } from './careful-board.test-helper.ts';
import { CLI } from './cli-program.test-helper.ts';
import { atTerminal } from './terminal.test-helper.ts';
import { fixture } from './upstream-boards.test-helper.ts';
import { needs } from './needs.test-helper.ts';

const HI = { name: 'hi', description: 'Greet', type: 'cli', command: ['echo', 'hi'], risk: 'write' };
const ASKING = { tools: [HI], policy: { approval: { global: 'write' } } };
const OPEN = { tools: [HI], policy: { approval: { global: 'none' } } };

/** Waits for a change that waits, and returns it. */
async function nextChange(board: OtherBoard): Promise<NonNullable<Told['change']>> {
  const { event, change, message } = await board.next();
  if (change === undefined) throw new Error(`${event}: ${message}`);
  return change;
}

async function pegboard(place: CarefulFolder, ...args: readonly string[]): Promise<string> {
  const env = { ...place.env, NO_COLOR: '1' };
  return (await promisify(execFile)(process.execPath, [CLI, ...args], { cwd: place.folder, env })).stdout;
}

describe('an edit', () => {
  it('of a tool is taken over at once', async () => {
    const place = carefulFolder(OPEN);
    const board = await place.open();
    place.write('pegboard.yaml', { ...OPEN, tools: [{ ...HI, command: ['echo', 'hello'], description: 'Say hello' }] });
    expect(await board.next()).toEqual({ event: 'reloaded' });
    expect(await board.call('hi')).toBe('hello\n');
    expect((await board.state()).changes).toEqual([]);
  });

  it('of the policy waits, and calls go by the old one until another process accepts it', async () => {
    const place = carefulFolder(ASKING);
    const board = await place.open();
    place.write('pegboard.yaml', OPEN);
    const change = await nextChange(board);
    expect(change).toMatchObject({
      status: 'waiting',
      changes: ['policy.approval.global (pegboard.yaml:16) changed from "write" to "none"'],
    });
    expect(await board.call('hi')).toContain('approve');
    expect(await board.reload()).toBe(false);
    const { warnings } = await board.state();
    expect(warnings).toEqual([
      `was changed, and the change waits for a person (${change.id}), so the board uses the files from before:\n- policy.approval.global (pegboard.yaml:16) changed from "write" to "none"\nAccept it with: pegboard approvals allow ${change.id}`,
    ]);
    await place.changes.answer(change.id, { allow: true, by: 'ada' });
    expect(await board.next()).toEqual({ event: 'reloaded' });
    expect(await board.call('hi')).toBe('hi\n');
    expect(await board.state()).toMatchObject({ changes: [], warnings: [] });
  });

  it('that is undone waits no longer', async () => {
    const place = carefulFolder(ASKING);
    const board = await place.open();
    place.write('pegboard.yaml', OPEN);
    const { id } = await nextChange(board);
    place.write('pegboard.yaml', ASKING);
    expect(await board.next()).toEqual({ event: 'reloaded' });
    expect((await board.state()).changes).toEqual([]);
    await expect(place.changes.answer(id, { allow: true, by: 'ada' })).rejects.toMatchObject({
      code: 'not_found',
      message: `There is no waiting change "${id}". The files may have changed since: see pegboard approvals list`,
    });
  });

  it('after another is a change of its own: an answer to the first does not count for both', async () => {
    const place = carefulFolder(ASKING);
    const board = await place.open();
    place.write('pegboard.yaml', { ...ASKING, policy: { approval: { global: 'destructive' } } });
    const first = await nextChange(board);
    place.write('pegboard.yaml', OPEN);
    const second = await nextChange(board);
    expect(second.id).not.toBe(first.id);
    expect(second.changes).toEqual(['policy.approval.global (pegboard.yaml:16) changed from "write" to "none"']);
    await expect(place.changes.answer(first.id, { allow: true, by: 'ada' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await place.changes.answer(second.id, { allow: true, by: 'ada' });
    expect(await board.next()).toEqual({ event: 'reloaded' });
    expect(await board.call('hi')).toBe('hi\n');
  });

  it('that is refused stays refused until the files change again', async () => {
    const place = carefulFolder(ASKING);
    const board = await place.open();
    place.write('pegboard.yaml', OPEN);
    const { id } = await nextChange(board);
    expect(await pegboard(place, 'approvals', 'deny', id.slice(0, 12))).toBe(
      'Refused: the board goes on with the files from before.\n',
    );
    expect(await nextChange(board)).toMatchObject({ id, status: 'refused' });
    expect(await board.reload()).toBe(false);
    expect(await board.call('hi')).toContain('approve');
    place.write('pegboard.yaml', { ...OPEN, description: 'Again' });
    expect(await nextChange(board)).toMatchObject({ status: 'waiting' });
  });
});

describe('a call that is under way', () => {
  it('ends as it began, while the change that another process accepted is taken over', async () => {
    const slow = {
      ...HI,
      name: 'slow',
      command: ['sh', '-c', 'touch began; until [ -e go ]; do sleep 0.1; done; echo done'],
    };
    const config = { tools: [HI, { ...slow, risk: 'read' }], policy: { approval: { global: 'write' } } };
    const place = carefulFolder(config);
    const board = await place.open();
    const call = board.call('slow');
    await expect.poll(() => place.has('began')).toBe(true);
    place.write('pegboard.yaml', { ...config, tools: [HI], policy: OPEN.policy });
    const { id } = await nextChange(board);
    await place.changes.answer(id, { allow: true, by: 'ada' });
    expect(await board.next()).toEqual({ event: 'reloaded' });
    expect(await board.call('hi')).toBe('hi\n');
    place.write('go', '');
    expect(await call).toBe('done\n');
  });
});

describe('what runs without a call', () => {
  it('a new server waits, and is neither started nor on the board', async () => {
    const place = carefulFolder(OPEN);
    const board = await place.open();
    const server = { command: 'sh', args: ['-c', 'touch started; cat'], env: { TOKEN: 'a-token-of-it' } };
    place.write('pegboard.yaml', { ...OPEN, mcpServers: { github: server } });
    const { changes, id } = await nextChange(board);
    expect(changes).toEqual([
      'mcpServers.github (pegboard.yaml:21) is new: command "sh", args ["-c","touch started; cat"], env.TOKEN',
    ]);
    expect((await board.state()).servers).toEqual([]);
    expect(place.has('started')).toBe(false);
    await place.changes.answer(id, { allow: true, by: 'ada' });
    expect(await board.next()).toEqual({ event: 'reloaded' });
    expect((await board.state()).servers).toEqual(['github']);
    await expect.poll(() => place.has('started')).toBe(true);
  });

  it('a server keeps its process while another command waits', async () => {
    const odd = fixture('odd-server.ts');
    const place = carefulFolder({ ...OPEN, mcpServers: { odd } });
    const board = await place.open();
    await expect.poll(async () => (await board.state()).tools).toContain('odd__echo');
    // Its arrival is not a change of the files.
    place.write('pegboard.yaml', { ...OPEN, mcpServers: { odd: { ...odd, args: ['-e', 'evil()'] } } });
    const { changes } = await nextChange(board);
    expect(changes).toEqual([expect.stringContaining('mcpServers.odd.args (pegboard.yaml:')]);
    expect((await board.state()).tools).toContain('odd__echo');
    // A text about a server is no part of what it starts.
    place.write('pegboard.yaml', {
      ...OPEN,
      mcpServers: { odd: { ...odd, description: 'Odd things', timeout: '5s' } },
    });
    expect(await board.next()).toEqual({ event: 'reloaded' });
  });

  it.for([
    [
      'a secret command',
      { variables: { KEY: { secret: { command: ['sh', '-c', 'touch ran; echo a-key-of-it'] } } } },
      'variables.KEY (pegboard.yaml:22) is new: secret.command ["sh","-c","touch ran; echo a-key-of-it"]',
    ],
    ['a plugin', { plugins: ['./plugin.mjs'] }, 'the plugin "./plugin.mjs" (pegboard.yaml:20) is new'],
    [
      'a script',
      { tools: [HI, { name: 'code', type: 'script', file: 'plugin.mjs' }] },
      /^the script ".*plugin\.mjs" \(pegboard\.yaml:\d+\) is new$/,
    ],
  ] as const)('%s does not run before a person accepts it', async ([, added, text]) => {
    const place = carefulFolder(OPEN);
    place.write('plugin.mjs', marking(place));
    const board = await place.open();
    place.write('pegboard.yaml', { ...OPEN, ...added });
    const { changes, id } = await nextChange(board);
    expect(changes).toEqual([typeof text === 'string' ? text : expect.stringMatching(text)]);
    expect(await pegboard(place, 'approvals', 'show', id)).toContain('waiting');
    // Trust in the folder is not about code that nobody has accepted yet.
    await pegboard(place, 'trust');
    for (const command of ['status', 'doctor', 'validate', 'approvals list']) {
      expect(await pegboard(place, ...command.split(' '))).toContain(id);
    }
    expect(place.has('ran')).toBe(false);
    await place.changes.answer(id, { allow: true, by: 'ada' });
    expect(await board.next()).toEqual({ event: 'reloaded' });
    expect(place.has('ran')).toBe(true);
  });

  it('changed code of a plugin waits, too', async () => {
    const place = carefulFolder({ ...OPEN, plugins: ['./plugin.mjs'] });
    place.write('plugin.mjs', marking(place, 'first'));
    const board = await place.open();
    expect(place.has('first')).toBe(true);
    place.write('plugin.mjs', marking(place, 'second'));
    const { changes, id } = await nextChange(board);
    expect(changes).toEqual(['the plugin "./plugin.mjs" (pegboard.yaml:20) changed']);
    expect(place.has('second')).toBe(false);
    // Its code from before is gone: the board says so, rather than to run what nobody accepted.
    await board.end();
    const { first } = await place.start();
    expect(first).toMatchObject({ event: 'refused', message: expect.stringContaining(id) });
    expect(place.has('second')).toBe(false);
    await place.changes.answer(id, { allow: true, by: 'ada' });
    const again = await place.open();
    expect(place.has('second')).toBe(true);
    expect((await again.state()).changes).toEqual([]);
  });

  it('an import that a secret names is refused', async () => {
    const place = carefulFolder(OPEN);
    place.write('more.yaml', { policy: { approval: { global: 'none' } } });
    const board = await place.open();
    place.write('pegboard.yaml', {
      ...OPEN,
      variables: { FILE: { secret: { command: ['echo', 'more.yaml'] } } },
      import: '${FILE}',
    });
    const { event, message } = await board.next();
    expect(event).toBe('failed');
    expect(message).toContain(
      'import: is named by a secret. On a board whose changes wait for a person, write the name itself.',
    );
  });
});

describe('a secret', () => {
  it('may be renewed without a question, but not as a part of a command', async () => {
    const variables = { KEY: { secret: { file: 'key' } } };
    const server = { command: 'true', args: ['--quiet'], env: { KEY: '${KEY}' }, headers: {} };
    const config = { ...OPEN, variables, mcpServers: { one: server } };
    const place = carefulFolder(config);
    place.write('key', 'the-first-key-of-it');
    const board = await place.open();
    place.write('key', 'the-second-key-of-it');
    expect(await board.next()).toEqual({ event: 'reloaded' });
    place.write('pegboard.yaml', {
      ...config,
      mcpServers: { one: { ...server, env: { KEY: 'the-third-key-of-it' } } },
    });
    const { id, changes } = await nextChange(board);
    expect(changes).toEqual([expect.stringMatching(/^mcpServers\.one\.env\.KEY \(pegboard\.yaml:\d+\) changed$/)]);
    place.write('pegboard.yaml', { ...config, mcpServers: { one: { ...server, args: ['--key', '${KEY}'] } } });
    const other = await nextChange(board);
    expect(other.changes).toEqual([expect.stringContaining('changed from ["--quiet"] to ["--key","${KEY}"]')]);
    await place.changes.answer(other.id, { allow: true, by: 'ada' });
    expect(await board.next()).toEqual({ event: 'reloaded' });
    place.write('key', 'the-fourth-key-of-it');
    const last = await nextChange(board);
    expect(last.id).not.toBe(id);
    expect(last.changes).toEqual([expect.stringMatching(/^mcpServers\.one\.args .* changed through \$\{KEY\}$/)]);
    expect(JSON.stringify([changes, other, last])).not.toContain('key-of-it');
  });
});

describe('rules in other places', () => {
  it('of an imported file and of a variable wait', async () => {
    const place = carefulFolder({ import: 'rules.yaml', tools: [HI] });
    const rules = { variables: { LEVEL: 'write' }, policy: { approval: { global: '${LEVEL}' } } };
    place.write('rules.yaml', rules);
    const board = await place.open();
    place.write('rules.yaml', { ...rules, variables: { LEVEL: 'none' } });
    const { changes } = await nextChange(board);
    expect(changes).toEqual(['policy.approval.global (rules.yaml:7) changed through ${LEVEL}']);
    place.write('pegboard.yaml', { tools: [HI] });
    expect((await nextChange(board)).changes).toEqual([
      'policy.approval.global (rules.yaml:7) is gone; it was "${LEVEL}"',
    ]);
    expect(await board.call('hi')).toContain('approve');
  });

  it('of the store wait, where the files name another one', async () => {
    const place = carefulFolder(OPEN);
    const board = await place.open();
    place.write('pegboard.yaml', { ...OPEN, data: '../elsewhere' });
    const { id, changes } = await nextChange(board);
    expect(changes).toEqual(['data (pegboard.yaml:19) is new: "../elsewhere"']);
    // The place of the change does not depend on the files.
    await board.end('SIGKILL');
    const again = await place.open();
    expect((await again.state()).changes).toMatchObject([{ id }]);
  });
});

describe('a restart', () => {
  it('accepts what was edited while no board ran', async () => {
    const place = carefulFolder(ASKING);
    await (await place.open()).end();
    place.write('pegboard.yaml', OPEN);
    const board = await place.open();
    expect(await board.call('hi')).toBe('hi\n');
    expect((await board.state()).changes).toEqual([]);
  });

  it('goes on with the files from before while a change waits, also when it was edited further', async () => {
    const place = carefulFolder(ASKING);
    const board = await place.open();
    place.write('pegboard.yaml', OPEN);
    const { id } = await nextChange(board);
    await board.end('SIGKILL');
    const second = await place.open();
    expect(await second.call('hi')).toContain('approve');
    expect((await second.state()).changes).toMatchObject([{ id, status: 'waiting' }]);
    await second.end();
    place.write('pegboard.yaml', { ...OPEN, description: 'Further' });
    const third = await place.open();
    expect(await third.call('hi')).toContain('approve');
    const [further] = (await third.state()).changes;
    expect(further?.id).not.toBe(id);
    await third.end();
    await place.changes.answer(further?.id ?? '', { allow: true, by: 'ada' });
    // It was accepted while no board ran, and is not asked about again.
    const fourth = await place.open();
    expect(await fourth.call('hi')).toBe('hi\n');
    expect((await fourth.state()).changes).toEqual([]);
    await fourth.end();
    expect(await (await place.open()).call('hi')).toBe('hi\n');
  });

  it('forgets a change that was undone meanwhile', async () => {
    const place = carefulFolder(ASKING);
    const board = await place.open();
    place.write('pegboard.yaml', OPEN);
    await nextChange(board);
    await board.end();
    place.write('pegboard.yaml', ASKING);
    const again = await place.open();
    expect((await again.state()).changes).toEqual([]);
    expect(await place.changes.list()).toEqual([]);
  });

  it('does not give a tool the change that it made to the files', async () => {
    const config = {
      tools: [
        { ...HI, name: 'rewrite', command: 'sh rewrite.sh', paths: [] },
        { ...HI, paths: [], description: 'Greet' },
      ],
      policy: { approval: { global: 'none' } },
    };
    const place = carefulFolder(config);
    const next = { ...config, tools: [{ ...HI, command: ['echo', 'changed'] }] };
    place.write('rewrite.sh', `printf '%s' '${JSON.stringify(next)}' > pegboard.yaml\n`);
    const board = await place.open();
    expect(await board.call('rewrite')).toBe('(no output)');
    const { changes } = await nextChange(board);
    const file = join(realpathSync(place.folder), 'pegboard.yaml');
    expect(changes).toEqual([`${file} was changed while the tool "rewrite" ran`]);
    expect(await board.call('hi')).toBe('hi\n');
    await board.end('SIGKILL');
    const again = await place.open();
    expect(await again.call('hi')).toBe('hi\n');
    const [change] = (await again.state()).changes;
    expect(change?.changes).toEqual(changes);
    await place.changes.answer(change?.id ?? '', { allow: true, by: 'ada' });
    expect(await again.next()).toEqual({ event: 'reloaded' });
    expect(await again.call('hi')).toBe('changed\n');
  });
});

describe('a tool', () => {
  it('cannot change a skill of the board by a file that it writes', async () => {
    const write = { ...HI, name: 'write', command: 'cp -f other.md skills/tea/SKILL.md', paths: [] };
    const place = carefulFolder({ tools: [write], skills: 'skills', policy: { approval: { global: 'none' } } });
    const skill = (text: string): string => `---\nname: tea\ndescription: ${text}\n---\nBoil water.\n`;
    mkdirSync(join(place.folder, 'skills/tea'), { recursive: true });
    place.write('skills/tea/SKILL.md', skill('Make tea'));
    place.write('other.md', skill('Make coffee'));
    const board = await place.open();
    expect(await board.call('write')).toBe('(no output)');
    const { id, changes } = await nextChange(board);
    expect(changes).toEqual([expect.stringMatching(/SKILL\.md was changed while the tool "write" ran$/)]);
    expect(await board.reload()).toBe(false);
    await place.changes.answer(id, { allow: true, by: 'ada' });
    expect(await board.next()).toEqual({ event: 'reloaded' });
    expect((await board.state()).changes).toEqual([]);
  });
});

describe('the lock', () => {
  it('of pegboard lock is taken over; another one waits, and so does its removal', needs('python3'), async () => {
    const place = carefulFolder({ ...OPEN, lock: 'deny' });
    await atTerminal(['lock'], { cwd: place.folder, env: place.env });
    const board = await place.open();
    const lock = place.read('pegboard.lock');
    place.write('pegboard.lock', lock.replace('Greet', 'Other'));
    expect((await nextChange(board)).changes).toEqual(['pegboard.lock was changed, and not by pegboard lock']);
    expect(await board.call('hi')).toBe('hi\n');
    rmSync(join(place.folder, 'pegboard.lock'));
    expect((await nextChange(board)).changes).toEqual(['pegboard.lock was removed, and not by pegboard lock']);
    place.write('pegboard.lock', lock);
    expect(await board.next()).toEqual({ event: 'reloaded' });
    place.write('pegboard.yaml', { tools: [{ ...HI, description: 'Say hello' }], lock: 'deny' });
    expect((await nextChange(board)).changes).toEqual([
      'policy.approval.global (pegboard.yaml:16) is gone; it was "none"',
    ]);
    const { shown } = await atTerminal(['lock'], { cwd: place.folder, env: place.env });
    expect(shown).toContain('Accepted these changes of the files:\npolicy.approval.global');
    while ((await board.next()).event !== 'reloaded');
    expect(await board.call('hi')).toBe('hi\n');
    await expect.poll(() => place.changes.list()).toEqual([]);
  });
});

describe('an approval for good', () => {
  it('is taken over without another question, and only once', needs('python3'), async () => {
    const asking = { ...ASKING, policy: { approval: { global: 'write', headless: 'wait' } } };
    const place = carefulFolder(asking);
    const board = await place.open();
    const call = board.call('hi');
    let id = '';
    await expect
      .poll(async () => {
        const [row] = JSON.parse(await pegboard(place, 'approvals', 'list', '--json'));
        return (id = row?.id ?? '');
      })
      .not.toBe('');
    const { shown } = await atTerminal(['approvals', 'allow', id, '--always', 'tool'], {
      cwd: place.folder,
      env: place.env,
      steps: [['Allow this call', 'y']],
    });
    expect(shown).toContain('Allowed: the call of hi continues.');
    expect(await call).toBe('hi\n');
    expect(await board.next()).toEqual({ event: 'reloaded' });
    await expect.poll(() => board.reload()).toBe(true);
    expect(await board.call('hi')).toBe('hi\n');
    const approved = place.read('pegboard.yaml');
    expect(approved).toContain('approved');
    // The person's answer was for the line as it was written then: whoever adds it again has to ask again.
    place.write('pegboard.yaml', asking);
    await expect.poll(() => place.changes.list()).toHaveLength(1);
    const [gone] = await place.changes.list();
    expect(gone?.changes).toEqual([expect.stringContaining('policy.approved')]);
    await place.changes.answer(gone?.id ?? '', { allow: true, by: 'ada' });
    await expect.poll(async () => (await board.state()).changes).toEqual([]);
    place.write('pegboard.yaml', approved);
    await expect
      .poll(async () => (await board.state()).changes)
      .toMatchObject([{ changes: [expect.stringContaining('policy.approved')] }]);
  });
});

describe('a person', () => {
  it('accepts a change on the page', async () => {
    const place = carefulFolder(ASKING);
    const file = join(place.folder, 'pegboard.yaml');
    const board = await openBoard(file, { cwd: place.folder, env: place.env, watch: 'careful' });
    onTestFinished(() => board.close());
    const inspector = await startInspector(board);
    onTestFinished(() => inspector.close());
    const link = new URL(inspector.url);
    const asked = waitForApproval(link);
    place.write('pegboard.yaml', OPEN);
    const { id, args, isChange } = await asked;
    expect({ args, isChange }).toEqual({
      args: 'policy.approval.global (pegboard.yaml:16) changed from "write" to "none"',
      isChange: true,
    });
    const reloaded = new Promise((resolve) => board.on('reloaded', resolve));
    expect(await answerApproval(link, id, { decision: 'allow' })).toBe(200);
    await reloaded;
    expect((await board.call('hi')).text).toBe('hi\n');
    expect(await answerApproval(link, id, { decision: 'allow' })).toBe(404);
  });

  it(
    'takes over a server that a person adds at a terminal, and asks about one that a program adds',
    needs('python3'),
    async () => {
      const place = carefulFolder(ASKING);
      const board = await place.open();
      const { command, args } = fixture('odd-server.ts');
      const server = [String(command), ...(Array.isArray(args) ? args.map(String) : [])];
      await atTerminal(['mcp', 'add', '--name', 'mine', '--', ...server], { cwd: place.folder, env: place.env });
      expect(await board.next()).toEqual({ event: 'reloaded' });
      await pegboard(place, 'mcp', 'add', '--name', 'theirs', '--', ...server);
      // The note of the person's change may reload the board once more.
      let told = await board.next();
      while (told.event === 'reloaded') told = await board.next();
      const change = told.change ?? { changes: [] };
      expect(change.changes).toHaveLength(1);
      expect(change.changes[0]).toContain('mcpServers.theirs');
      // The file of the waiting change is not accepted by another one.
      await atTerminal(['mcp', 'add', '--name', 'other', '--', ...server], { cwd: place.folder, env: place.env });
      expect((await nextChange(board)).changes).toHaveLength(2);
    },
  );

  it('accepts a change at a terminal, and nowhere else on the command line', needs('python3'), async () => {
    const place = carefulFolder(ASKING);
    const board = await place.open();
    place.write('pegboard.yaml', OPEN);
    const { id } = await nextChange(board);
    expect(await pegboard(place, 'approvals', 'list')).toContain(`${id}  files: 1 change`);
    await expect(pegboard(place, 'approvals', 'allow', id)).rejects.toThrow('Approving needs a terminal.');
    const { code, shown } = await atTerminal(['approvals', 'allow', id], {
      cwd: place.folder,
      env: place.env,
      steps: [['Take the change over?', 'y']],
    });
    expect(shown).toContain('policy.approval.global (pegboard.yaml:16) changed from "write" to "none"');
    expect(shown).toContain('Accepted: the board takes the change over.');
    expect(code).toBe(0);
    expect(await board.next()).toEqual({ event: 'reloaded' });
    expect(await board.call('hi')).toBe('hi\n');
  });
});

/** A module that leaves a mark when it is loaded, and is a plugin and a tool. */
function marking({ folder }: CarefulFolder, mark = 'ran'): string {
  const entry = join(import.meta.dirname, '../src/index.ts');
  return `import { writeFileSync } from 'node:fs';
import { definePlugin, defineTool } from ${JSON.stringify(entry)};
writeFileSync(${JSON.stringify(join(folder, mark))}, '');
export const tool = defineTool({ name: 'code', description: 'Code', schema: { type: 'object' }, execute: () => 'code' });
export default definePlugin({ name: 'marking' });
`;
}
