import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../../../../board/open-board.ts';
import { LEARNED_SPACE } from '../../../../discovery/learn/create-learner.ts';
import { createTestContext } from '../../../../cli/shared/cli-context.test-helper.ts';
import { runCli } from '../../../../cli/run-cli.ts';

const BOARD = `
name: demo
tools:
  - { name: list_folder, type: cli, description: List a folder, command: ls, risk: read,
      utterances: [what files are here, show the files here, which files are here now] }
  - { name: say_date, type: cli, description: Print the date, command: date, risk: read }
`;

async function makeFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-eval-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries({ 'pegboard.yaml': BOARD, ...files }))
    await writeFile(join(folder, name), text);
  return folder;
}

async function run(cwd: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const context = createTestContext({ cwd });
  const code = await runCli(args, context);
  return { code, ...context.printed() };
}

describe('pegboard eval', () => {
  it('prints figures and misses with the tools found instead', async () => {
    const folder = await makeFolder({
      'queries.yaml':
        'queries:\n  - query: what is the date\n    expected: say_date\n  - { query: date, relevant: [list_folder] }\n',
    });
    const { code, stdout } = await run(folder, 'eval', 'queries.yaml');
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines.slice(0, 8)).toEqual([
      '2 queries, 2 tools',
      'recall@1         0.500',
      'recall@5         0.500',
      'recall@10        0.500',
      'ndcg@10          0.500',
      'mrr              0.500',
      'completeness@10  0.500',
      expect.stringMatching(/^tokens {11}\d+ per search$/),
    ]);
    expect(stdout).toContain(
      'Not found in the first ten: 1 of 2\ndate\n  expected  list_folder\n  found     say_date\n',
    );
  });

  it('uses the utterances of the board without a file', async () => {
    const { code, stdout } = await run(await makeFolder({}), 'eval', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, queries: 3, tools: 2, measures: { 'recall@5': 1 } });
  });

  it('fails below a minimum and says which', async () => {
    const folder = await makeFolder({ 'q.jsonl': '{"query":"date","expected":["list_folder"]}\n\n' });
    const failed = await run(folder, 'eval', 'q.jsonl', '--min', 'recall@5=0.9', '--min', 'mrr=0%', '--misses', '0');
    expect(failed.code).toBe(1);
    expect(failed.stderr).toBe('error recall@5 is 0.000, less than 0.900.\n');
    expect(failed.stdout).not.toContain('Not found');
    const json = await run(folder, 'eval', 'q.jsonl', '--min', 'recall@5=90%', '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      shortfalls: ['recall@5 is 0.000, less than 0.900.'],
      misses: [{ query: 'date', missing: ['list_folder'] }],
    });
  });

  it('searches tools that are not on a board', async () => {
    const folder = await makeFolder({
      'tools.jsonl': [
        { name: 'Send Mail!', description: 'Sends an email', server: 'post', serverDescription: 'Letters' },
        { name: 'odd', description: '', inputSchema: { type: 'dict', properties: { a: { type: 'float' } } } },
      ]
        .map((tool) => JSON.stringify(tool))
        .join('\n'),
      'q.jsonl': '{"query":"send an email","relevant":["Send Mail!"],"groups":[["Send Mail!","odd"]]}',
    });
    const { code, stdout } = await run(folder, 'eval', 'q.jsonl', '--tools', 'tools.jsonl', '--min', 'recall@1=1');
    expect({ code, first: stdout.split('\n')[0] }).toEqual({ code: 0, first: '1 query, 2 tools' });
  });

  it.each<[string, string, string]>([
    ['q.jsonl', '{"query":"a"}', 'q.jsonl:1: needs expected (or relevant), a tool name or a list of them.'],
    ['q.jsonl', '\n{"query":', 'q.jsonl:2: is not JSON'],
    ['q.yaml', '- expected: say_date', 'q.yaml:1: needs a query, a non-empty text.'],
    ['q.yaml', 'a: 1', 'q.yaml: must be a list, or have a list under "queries".'],
    ['q.yaml', '- { query: a, groups: [say_date, 3] }', 'q.yaml:1: groups must be a list of lists of tool names.'],
    [
      'q.yaml',
      '- { query: a, expected: say_dat }',
      'expects "say_dat", which is not on the board. Did you mean "say_date"?',
    ],
    ['q.yaml', '[]', 'There is nothing to evaluate. The files have no queries.'],
  ])('refuses %s with %j', async (name, text, message) => {
    const { code, stderr } = await run(await makeFolder({ [name]: text }), 'eval', name);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  it.each([
    [['--min', 'recall@7=1'], '--min has no measure "recall@7". Use one of: recall@1, '],
    [['--min', 'mrr=7'], '--min mrr must be from 0 to 1, or a percentage; got "7".'],
    [['--misses', 'x'], '--misses must be a whole number'],
  ])('takes no %j', async (args, message) => {
    const { code, stderr } = await run(await makeFolder({}), 'eval', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('names a missing file', async () => {
    const { code, stderr } = await run(await makeFolder({}), 'eval', 'none.yaml');
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error none.yaml does not exist. Check the path.\n' });
  });
});

describe('pegboard learned', () => {
  async function makeLearned(): Promise<string> {
    const folder = await makeFolder({ 'pegboard.yaml': `discovery: { learn: true }\n${BOARD}` });
    const board = await openBoard(join(folder, 'pegboard.yaml'), { env: {}, cwd: folder });
    const store = board.store.space(LEARNED_SPACE);
    await store.set('1', { tool: 'say_date', query: 'which day is it', count: 2 });
    await store.set('list_folder\nwhat is here', { tool: 'list_folder', query: 'what is here', count: 1 });
    await board.close();
    return folder;
  }

  it('lists what was learned, all or for a tool', async () => {
    const folder = await makeLearned();
    const { stdout } = await run(folder, 'learned');
    expect(stdout.split('\n').toSorted()).toEqual([
      '',
      'list_folder  1×  what is here',
      'say_date     2×  which day is it',
    ]);
    const json = await run(folder, 'learned', 'say_date', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject([{ tool: 'say_date', query: 'which day is it', count: 2 }]);
  });

  it('forgets a tool', async () => {
    const folder = await makeLearned();
    expect((await run(folder, 'learned', '--forget', 'list_folder')).stdout).toBe('Deleted 1 query.\n');
    expect((await run(folder, 'learned', 'list_folder')).stderr).toBe('Nothing was learned about "list_folder".\n');
  });

  it('explains its usage', async () => {
    const folder = await makeFolder({});
    expect((await run(folder, 'learned')).stderr).toBe('Nothing was learned yet. Set discovery.learn: true.\n');
    const on = await makeFolder({ 'pegboard.yaml': 'discovery: { learn: true }\ntools: []\n' });
    expect((await run(on, 'learned')).stderr).toContain('no agent has called a tool that it found with a search');
    expect((await run(folder, 'learned', '--forget')).stderr).toContain('--forget needs the names of tools, or --all.');
    expect((await run(folder, 'learned', '--all')).code).toBe(2);
    expect((await run(folder, 'learned', '--forget', '--all')).stdout).toBe('Deleted 0 queries.\n');
  });
});
