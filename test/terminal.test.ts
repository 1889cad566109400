// The output that people see at a terminal: real ones, as programs get them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { atTerminal } from './terminal.test-helper.ts';
import { needs } from './needs.test-helper.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-terminal-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(
  join(folder, 'pegboard.yaml'),
  `tools:
  - name: greet
    type: cli
    description: Greets
    risk: read
    command: echo
    args:
      - { name: greeting, positional: true, enum: [Hello, Moin], required: true, description: The word }
      - { name: name, positional: true, required: true, description: Who is greeted }
      - { name: times, type: integer, description: How often }
  - { name: data, type: cli, description: Gives data, risk: read, command: [echo, '{"a":[1,2]}'], output: json }
  - { name: steps, type: cli, description: Tells steps, risk: read, command: [echo, working], progress: lines }
`,
);

describe('call --interactive', () => {
  it('asks for what is required, then which of the rest to give, and calls', needs('python3'), async () => {
    const { code, shown } = await atTerminal(['call', 'greet', '--interactive'], {
      cwd: folder,
      steps: [
        ['The word', '\u001B[B\r'],
        ['Who is greeted', 'Ada\r'],
        ['Optional arguments', '\r'],
      ],
    });
    expect(shown).toContain('Moin Ada\n');
    expect(code).toBe(0);
    const more = await atTerminal(['call', 'greet', 'greeting=Hello', 'name=Ada', '-i'], {
      cwd: folder,
      steps: [
        ['Optional arguments', ' \r'],
        ['times: How often', '2\r'],
      ],
    });
    expect(more.shown).toContain('Hello Ada --times=2\n');
  });

  it('does not ask for what is given, and calls nothing when the person gives up', needs('python3'), async () => {
    const { code, shown } = await atTerminal(['call', 'greet', 'greeting=Hello', '-i'], {
      cwd: folder,
      steps: [['Who is greeted', '\u0003']],
    });
    expect(shown).not.toContain('The word');
    expect(shown).toContain('Nothing was called.');
    expect(code).not.toBe(0);
  });

  it('takes the end of the input for giving up', needs('python3'), async () => {
    const { code, shown } = await atTerminal(['call', 'greet', 'greeting=Hello', '-i'], {
      cwd: folder,
      steps: [['Who is greeted', '\u0004']],
    });
    expect(shown).toContain('Nothing was called.');
    expect(shown).not.toContain('Warning');
    expect(code).toBe(2);
  });
});

it('prints data with line breaks', needs('python3'), async () => {
  const { shown } = await atTerminal(['call', 'data'], { cwd: folder });
  expect(shown.trim()).toBe(JSON.stringify({ a: [1, 2] }, undefined, 2));
});

describe('progress of a call', () => {
  it('is written over by the result', needs('python3'), async () => {
    const { shown } = await atTerminal(['call', 'steps'], { cwd: folder });
    expect(shown.trim()).toMatch(/^1 working\s*\r\s*working$/);
  });
});

it('wraps help, listings, a tool and errors between words', needs('python3'), async () => {
  for (const args of [['mcp', 'add', '--help'], ['list'], ['show', 'greet'], ['call', 'greet', '--timeout', 'soon']]) {
    const { shown } = await atTerminal(args, { cwd: folder });
    const lines = shown.split('\n');
    // An example of a command line, and what is one word, stay whole.
    const long = lines.filter((line) => line.length > 80 && !/^ {2}(?:pegboard|#) /.test(line));
    expect([args, long]).toEqual([args, []]);
  }
});

it('shows how well a search found each tool, and why', needs('python3'), async () => {
  const { shown } = await atTerminal(['search', 'gives', 'data'], { cwd: folder });
  expect(shown).toMatch(/^\d\.\d\d +data +pegboard +read +Gives data\n {2}.*data in .*name/m);
});
