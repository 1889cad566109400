import { describe, expect, it } from 'vitest';
import { dataFolder } from './data-folder.ts';
import { loadFile } from './load-file.ts';

const load = (file: string, text: string) => loadFile(Buffer.from(text), file, { env: {} });
const plain = load('/etc/tools/pegboard.yaml', 'tools: []');
const named = load('/etc/tools/named.yaml', 'data: ../kept\ntools: []');
const options = { data: undefined, env: {}, cwd: '/home/ada' };

describe('dataFolder', () => {
  it.each([
    ['beside the last file', [named, plain].slice(1), options, '/etc/tools/.pegboard'],
    ['where a file says, relative to it', [named, plain], options, '/etc/kept'],
    ['where the environment says', [named], { ...options, env: { PEGBOARD_DATA: 'x' } }, '/home/ada/x'],
    ['where the caller says', [named], { ...options, data: '/y', env: { PEGBOARD_DATA: 'x' } }, '/y'],
    ['in the folder a board is started in when there is no file', [], options, '/home/ada/.pegboard'],
  ])('is %s', (_, files, given, expected) => {
    expect(dataFolder(files, given)).toBe(expected);
  });
});
