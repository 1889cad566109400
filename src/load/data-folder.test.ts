import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dataFolder } from './data-folder.ts';
import { loadFile } from './load-file.ts';

const load = (file: string, text: string) => loadFile(Buffer.from(text), file, { env: {} });
const plain = load('/etc/tools/pegboard.yaml', 'tools: []');
const named = load('/etc/tools/named.yaml', 'data: ../kept\ntools: []');
const options = { data: undefined, env: { HOME: '/home/ada' }, cwd: '/home/ada' };
const state = { XDG_STATE_HOME: '/state' };

describe('dataFolder', () => {
  it.each([
    [
      'among the states of the user, by the folder of the last file',
      [named, plain].slice(1),
      options,
      '/home/ada/.local/state/pegboard/etc+tools',
    ],
    ['where XDG_STATE_HOME says', [plain], { ...options, env: state }, '/state/pegboard/etc+tools'],
    ['where a file says, relative to it', [named, plain], options, '/etc/kept'],
    ['where the environment says', [named], { ...options, env: { PEGBOARD_DATA: 'x' } }, '/home/ada/x'],
    ['where the caller says', [named], { ...options, data: '/y', env: { PEGBOARD_DATA: 'x' } }, '/y'],
    [
      'by the folder a board is started in when there is no file',
      [],
      { ...options, env: state },
      '/state/pegboard/home+ada',
    ],
  ])('is %s', (_, files, given, expected) => {
    expect(dataFolder(files, given)).toBe(expected);
  });

  it('is the same for every path to a folder, and unique per folder', () => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-data-')));
    onTestFinished(() => rmSync(top, { recursive: true }));
    for (const name of ['a', 'b']) mkdirSync(join(top, name));
    const place = (cwd: string): string => dataFolder([], { data: undefined, env: state, cwd });
    expect(place(join(top, 'b/../a'))).toBe(place(join(top, 'a')));
    expect(place(join(top, 'b'))).not.toBe(place(join(top, 'a')));
  });
});
