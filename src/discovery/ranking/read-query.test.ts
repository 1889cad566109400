import { expect, it } from 'vitest';
import { joinVerbs } from './read-query.ts';

const board = new Set(['login', 'checkout', 'disable', 'create', 'undo', 'enable', 'poweroff', 'whoami']);

it.each([
  ['log in to github', 'login to github'],
  ['I want to Log in', 'I want to login'],
  ['please check out a branch', 'please checkout a branch'],
  ['show the log in production', 'show the log in production'],
  ['roll back a release', 'roll back undo a release'],
  ['start it at boot', 'start it at boot enable'],
  ['shut it down', 'shut it down poweroff'],
  ['who am I', 'who am I whoami'],
  ['put on boots', 'put on boots'],
  ['turn off autostart', 'turn off disable autostart'],
  ['turn on autostart', 'turn on enable autostart'],
  ['open a pull request', 'open a create pull request'],
  ['open a file', 'open a file'],
  ['login', 'login'],
])('reads %s as %s', (query, expected) => {
  expect(joinVerbs(query, (word) => board.has(word))).toBe(expected);
});

it('handles hostile texts quickly', () => {
  for (const text of [
    'log '.repeat(50_000),
    `to${' '.repeat(100_000)}x`,
    'open a '.repeat(30_000),
    'free disk '.repeat(30_000),
    'roll '.repeat(50_000),
  ]) {
    expect(joinVerbs(text, () => false)).toBe(text);
  }
});
