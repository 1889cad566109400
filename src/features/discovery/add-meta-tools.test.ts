import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { isDiscoveryTool } from '../../tool/tool-marks.ts';
import { openBoard } from '../../board/open-board.ts';
import type { Board } from '../../board/board.ts';
import type { OpenBoardOptions } from '../../board/open-board-options.ts';
import { formatDiagnostic } from '../../load/diagnostics/diagnostic.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-equip-'));
const file = join(folder, 'pegboard.yaml');
const boards: Board[] = [];
afterEach(() => Promise.all(boards.splice(0).map((board) => board.close())));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tool = (name: string): string =>
  `  - { name: ${name}, type: cli, description: Print some words, command: echo, risk: read }`;
const write = (names: readonly string[], rest = ''): void =>
  writeFileSync(file, `name: demo\ntools:\n${names.map(tool).join('\n')}\n${rest}\n`);

async function open(options: OpenBoardOptions = {}): Promise<Board> {
  const board = await openBoard(file, { cwd: folder, ...options });
  boards.push(board);
  return board;
}

const findersOf = ({ registry }: Board): string[] =>
  registry
    .getAll()
    .filter(isDiscoveryTool)
    .map(({ metadata }) => metadata.name);

describe('tools for finding others', () => {
  it('are not on a board unless options or files ask for them', async () => {
    write(['say']);
    expect(findersOf(await open())).toEqual([]);
  });

  it('come by config or by option; the option wins', async () => {
    write(['say'], 'discovery: { tools: true }');
    expect(findersOf(await open())).toEqual(['search_tools', 'call_tool', 'describe_tool']);
    expect(findersOf(await open({ discoveryTools: 'climax' }))).toEqual(['climax_search', 'climax_call']);
    expect(findersOf(await open({ discoveryTools: false }))).toEqual([]);
  });

  it('keep the name of the tool that runs programs', async () => {
    write(['say', 'run_code'], 'discovery: { tools: code }');
    const board = await open();
    expect(findersOf(board)).toEqual(['search_tools', 'run_code']);
    expect((await board.call('run_code', { code: 'return 1 + 1' })).text).toBe('2');
    expect(board.diagnostics.map(({ severity, message }) => [severity, message])).toEqual([
      ['warning', 'the tool "run_code" is left out: the name belongs to the tool that runs programs. Rename it.'],
    ]);
  });

  it('find and call the tools of the board, through its policy', async () => {
    write(['say', 'shout'], 'policy: { deny: [shout], approval: { global: all } }');
    const asked: string[] = [];
    const board = await open({ discoveryTools: true, approve: ({ tool: name }) => asked.push(name) > 0 });
    expect((await board.call('search_tools', { query: 'print words', kind: 'cli', detail: 'names' })).text).toBe('say');
    expect((await board.call('call_tool', { name: 'say' })).ok).toBe(true);
    expect((await board.call('call_tool', { name: 'shout' })).error?.code).toBe('not_found');
    expect(asked).toEqual(['say']);
  });

  it('stay the same objects after a reload, and see changes', async () => {
    write(['say']);
    const board = await open({ discoveryTools: true });
    const before = board.registry.get('search_tools');
    write(['say', 'sing']);
    expect(await board.reload()).toEqual({ ok: true });
    expect(board.registry.get('search_tools')).toBe(before);
    expect((await board.call('call_tool', { name: 'sing' })).ok).toBe(true);
  });

  it('are added and removed with the config', async () => {
    write(['say']);
    const board = await open();
    write(['say'], 'discovery: { tools: true }');
    await board.reload();
    expect(findersOf(board)).toHaveLength(3);
    write(['say']);
    await board.reload();
    expect(findersOf(board)).toEqual([]);
  });

  it('yield to a tool of the files with such a name, with a warning', async () => {
    write(['say', 'call_tool']);
    const board = await open({ discoveryTools: true });
    expect(findersOf(board)).toEqual(['search_tools', 'describe_tool']);
    expect((await board.call('call_tool')).ok).toBe(true);
    expect(board.diagnostics.map((diagnostic) => formatDiagnostic(diagnostic))).toEqual([
      expect.stringContaining(
        'pegboard.yaml:4:5 tools[1]: the tool "call_tool" takes the place of the one for finding tools.',
      ),
    ]);
    write(['say']);
    await board.reload();
    expect(findersOf(board)).toHaveLength(3);
    expect(board.diagnostics).toEqual([]);
  });
});

describe('pinned tools', () => {
  it('are existing tools; others are reported with the nearest name', async () => {
    write(['say', 'shout'], 'discovery:\n  pinned: [shout, sya]');
    const board = await open();
    expect(board.pinned).toEqual(['shout']);
    expect(board.diagnostics).toMatchObject([
      {
        severity: 'warning',
        path: ['discovery', 'pinned', 1],
        message: 'there is no tool "sya" to pin. Did you mean "say"?',
      },
    ]);
  });

  it('must be names', async () => {
    write(['say'], 'discovery: { pinned: say }');
    await expect(open()).rejects.toThrow('discovery.pinned: must be array');
    write(['say'], 'discovery: { tools: maybe }');
    await expect(open()).rejects.toThrow('discovery.tools');
  });
});
