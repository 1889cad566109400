// A variable that is not set takes down the tool, the server, the agent or the collection that needs it, and nothing else.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { defineAgent, readAgents, runAgent } from '../../src/agent.ts';
import { type Board, ConfigError, openBoard } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';
import { fixture } from '../upstream-boards.test-helper.ts';

const folders: string[] = [];
const boards: Board[] = [];

afterEach(async () => {
  for (const board of boards.splice(0)) await board.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function place(config: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-missing-'));
  folders.push(folder);
  writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(config, undefined, 2));
  return folder;
}

async function open(config: object, env: Record<string, string> = {}): Promise<Board> {
  const folder = place(config);
  const board = await openBoard(join(folder, 'pegboard.yaml'), {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
  });
  boards.push(board);
  return board;
}

const echo = (name: string, word: string, more: object = {}): object => ({
  name,
  type: 'cli',
  description: 'Echo a word',
  command: ['echo', word],
  risk: 'read',
  ...more,
});

const says = (board: Board): string[] => board.diagnostics.map(({ severity, message }) => `${severity} ${message}`);

describe('a tool', () => {
  it('is off with a warning, and a call says what to set', async () => {
    const board = await open({
      tools: [echo('one', '1'), echo('two', '${TWO}', { env: { X: '${FOUR}' } }), echo('three', '3')],
    });
    expect(board.registry.names()).toEqual(['one', 'three', 'output_read', 'output_search']);
    expect(says(board)).toEqual([
      'warning the variable TWO is not set, so the tool "two" is off. Set it in the environment or under variables, or write ${TWO:-default}.',
      'warning the variable FOUR is not set, so the tool "two" is off. Set it in the environment or under variables, or write ${FOUR:-default}.',
    ]);
    expect(board.diagnostics[0]?.place).toMatchObject({ line: 19 });
    const { error } = await board.call('two');
    expect(error).toMatchObject({
      code: 'not_found',
      message: 'The tool "two" is off: the variables TWO, FOUR are not set. Set what is missing and reload the board.',
    });
    expect(board.unavailable).toEqual([
      {
        name: 'two',
        reason: 'the tool "two" is off: the variables TWO, FOUR are not set. Set what is missing and reload the board.',
      },
    ]);
    expect((await board.call('one')).text).toBe('1\n');
    expect((await board.call('four')).error?.message).toContain('There is no tool "four".');
  });

  it('comes back with the variable', async () => {
    const env: Record<string, string | undefined> = { PATH: process.env['PATH'] };
    const folder = place({ tools: [echo('two', '${TWO}')] });
    const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder, env });
    boards.push(board);
    expect(board.registry.has('two')).toBe(false);
    env['TWO'] = 'second';
    expect(await board.reload()).toEqual({ ok: true });
    expect((await board.call('two')).text).toBe('second\n');
    expect([board.unavailable, says(board)]).toEqual([[], []]);
  });

  it('may be named by a policy, by agents and by discovery', async () => {
    const model = scriptedModel([(request) => request.tools.join(' ')]);
    const board = await open({
      tools: [echo('one', '1'), echo('two', '${TWO}')],
      policy: { deny: ['two'] },
    });
    expect(says(board).filter((line) => !line.includes('TWO'))).toEqual([]);
    // A denied tool does not exist for callers.
    expect((await board.call('two')).error?.message).toContain('There is no tool "two".');
    const allowed = await open({
      tools: [echo('one', '1'), echo('two', '${TWO}')],
      policy: { approval: { global: 'none' }, tools: { two: { require_approval: true } } },
      discovery: { pinned: ['two'] },
      agents: { helper: { system: 'Help.', tools: ['one', 'two'] } },
    });
    expect(says(allowed).filter((line) => !line.includes('TWO'))).toEqual([]);
    const { text } = await runAgent(defineAgent({ name: 'helper', model, tools: ['one', 'two'] }), 'go', {
      board: allowed,
    });
    expect(text).toBe('one');
  });

  it('is off when a variable of the file needs what is not set', async () => {
    const board = await open({
      variables: { HOST: '${NOWHERE}', SAFE: '${NOWHERE:-here}' },
      tools: [echo('one', '${HOST}/a'), echo('two', '${SAFE} $${HOST}')],
    });
    expect((await board.call('one')).error?.message).toBe(
      'The tool "one" is off: the variable NOWHERE is not set. Set what is missing and reload the board.',
    );
    expect((await board.call('two')).text).toBe('here ${HOST}\n');
  });
});

describe('a server, an agent, a collection', () => {
  it('a server is off, and so are entries for its tools', async () => {
    const board = await open({
      tools: [echo('one', '1'), { name: 'ping', type: 'mcp', server: 'far' }],
      mcpServers: {
        far: { url: 'https://far.example/mcp', headers: { authorization: 'Bearer ${FAR_TOKEN}' } },
        near: fixture('named-server.ts', 'near'),
      },
    });
    const off = 'The server "far" is off: the variable FAR_TOKEN is not set. Set what is missing and reload the board.';
    expect((await board.call('far__anything')).error).toMatchObject({ code: 'not_found', message: off });
    expect((await board.call('ping')).error).toMatchObject({ code: 'not_found', message: off });
    expect(board.servers.map(({ name }) => name)).toEqual(['near']);
    expect(board.registry.names()).toContain('one');
  });

  it('an agent is off', async () => {
    const board = await open({ agents: { good: { system: 'Help.' }, bad: { system: 'Help.', api_key: '${NO_KEY}' } } });
    expect([...readAgents(board).keys()]).toEqual(['good']);
    expect(says(board)).toEqual([
      'warning the variable NO_KEY is not set, so the agent "bad" is off. Set it in the environment or under variables, or write ${NO_KEY:-default}.',
    ]);
  });

  it('a collection is off, and the others are searched', async () => {
    const rag = (name: string): object => ({
      name,
      type: 'rag',
      description: name,
      collection: name,
      operations: ['search'],
    });
    const board = await open({
      tools: [rag('good'), rag('bad'), rag('remote')],
      rag: {
        servers: {
          default: { driver: 'memory' },
          far: { driver: 'qdrant', endpoint_url: 'http://x.example', api_key: '${NO_KEY}' },
        },
        collections: { good: {}, bad: { description: '${NO_TEXT}' }, remote: { server: 'far' } },
      },
    });
    expect(board.registry.names()).toEqual(['good-search']);
    expect((await board.call('bad-search', { query: 'x' })).error?.message).toBe(
      'The collection "bad" is off: the variable NO_TEXT is not set. Set what is missing and reload the board.',
    );
    expect((await board.call('remote-search', { query: 'x' })).error?.message).toBe(
      'The knowledge in rag.servers.far is off: the variable NO_KEY is not set. Set what is missing and reload the board.',
    );
    expect((await board.knowledge()).names).toEqual(['good']);
  });
});

describe('the whole board', () => {
  it.each([
    ['policy', { deny: ['${NOPE}'] }],
    ['serve', { tokens: [{ name: 'me', token: '${NOPE}', allow: ['*'] }] }],
    ['env', { A: '${NOPE}' }],
    ['import', ['${NOPE}.yaml']],
    ['data', '${NOPE}'],
  ])('is not opened without a variable of its %s', async (section, value) => {
    const opened = open({ tools: [echo('one', '1')], [section]: value });
    await expect(opened).rejects.toThrow(ConfigError);
    await expect(opened).rejects.toThrow('the variable NOPE is not set. Set it in the environment or under variables');
  });
});

describe('a rule that would hold for nothing', () => {
  it.each([
    ['a name', { deny: ['${EMPTY}'] }, 'policy.deny[0]'],
    ['a source', { deny: [{ source: '${EMPTY}' }] }, 'policy.deny[0]'],
    ['a root', { roots: ['${EMPTY}'] }, 'policy.roots[0]'],
    ['the key of a tool', { tools: { '${ONE}': { require_approval: true } } }, 'policy.tools'],
    ['the key of an approval', { approval: { tools: { '${ONE}': true } } }, 'policy.approval.tools'],
    ['the key of an argument', { tools: { one: { args: { '${A}': { max: 1 } } } } }, 'policy.tools.one.args'],
  ])('is an error: %s', async (_what, policy, place) => {
    const opened = open({ tools: [echo('one', '1')], policy }, { EMPTY: '', ONE: 'one', A: 'a' });
    await expect(opened).rejects.toThrow(ConfigError);
    await expect(opened).rejects.toThrow(place);
  });
});
