import { expect, it } from 'vitest';
import { ConfigError } from './diagnostic.ts';
import { loadFile } from '../load-file.ts';

const messagesOf = (text: string): string[] =>
  loadFile(Buffer.from(text), 'board.yaml', { env: {} }).diagnostics.map(({ message }) => message);

const tool = (keys: string): string => `tools: [{ name: a, description: A, ${keys} }]`;

it.each([
  [
    tool('type: cli, command: ls, timeout: 5 minutes'),
    'must be seconds, or a text such as 500ms, 30s, 5m, 1h; got "5 minutes".',
  ],
  [
    tool('type: cli, command: ls, limits: { memory: 2 gigs }'),
    'must be bytes, or a text such as 500KB, 100MB, 2GB; got "2 gigs".',
  ],
  [tool('type: http, requests: [{ url: "https://example.com", method: FETCH }]'), '; got "FETCH".'],
  ['mcpServers: { b: { cmd: node } }', 'Did you mean "command"?'],
  [
    'tools: [{ type: cli, name: two words, description: A, command: ls }]',
    'letters, digits, "_", "." and "-"; got "two',
  ],
  [tool('type: cli, command: ls, args: [{ name: x, option: -x }]'), 'Did you mean "flag"?'],
  ['tools: { deploy: { type: cli, command: ls } }', 'must be a list: write each tool as "- name: deploy" with'],
  ['tools:\n  name: deploy\n  type: cli\n  command: ls', 'must be a list: write each tool as "- name: deploy" with'],
  [tool('tpe: cli, command: ls'), 'Is "tpe" a misspelling of "type"?'],
])('says what to write for %s', (text, message) => {
  expect(messagesOf(text)).toEqual([expect.stringContaining(message)]);
});

it('suggests no unrelated key', () => {
  expect(messagesOf(tool('command: ls'))).toEqual([expect.stringMatching(/^is required: one of [^?]*\.$/)]);
});

it('calls a broken JSON file JSON, not YAML', () => {
  const load = (file: string): unknown => loadFile(Buffer.from('{"tools": [}'), file, { env: {} });
  expect(() => load('board.json')).toThrow(ConfigError);
  expect(() => load('board.json')).toThrow('is not valid JSON: ');
  expect(() => load('board.yaml')).toThrow('is not valid YAML: ');
});
