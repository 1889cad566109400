import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CliEntry } from '../kinds/cli/cli-settings.ts';
import type { RunEntry } from '../kinds/run/commands-settings.ts';
import { ConfigError, formatDiagnostic } from './diagnostics/diagnostic.ts';
import { loadFile } from './load-file.ts';
import type { LoadedFile } from './loaded-file.ts';

function load(text: string, env: Record<string, string> = {}): LoadedFile {
  return loadFile(Buffer.from(text), 'board.yaml', { env });
}

const errorsOf = (text: string, env?: Record<string, string>): string[] =>
  load(text, env)
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(formatDiagnostic);

describe('dialects', () => {
  it.each([
    ['climax', 'command: git\ntools: [{name: a, description: A}]'],
    ['climax-policy', 'default: disabled\ntools: {a: {}}'],
    ['climax-policy', 'approval: {global: none}'],
    ['ctx', 'tools: [{id: a, description: A, commands: [{cmd: ls}]}]'],
    ['ctx', 'documents: []'],
    ['pegboard', 'tools: [{type: cli, name: a, description: A, command: ls}]'],
    ['pegboard', 'mcpServers: {}'],
    ['pegboard', 'processes: {concurrency: 2}\ntools: []'],
  ])('recognizes %s by its shape', (dialect, text) => {
    const loaded = load(text);
    expect(loaded.dialect).toBe(dialect);
    expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each([
    ['processes: {concurrency: 2}', { processes: { concurrency: 2 } }],
    ['max_model_output: 500', { max_model_output: 500 }],
    ['lock: warn', { lock: 'warn' }],
  ])('reads %s next to servers, which no MCP client has', (text, section) => {
    const loaded = load(`${text}\nmcpServers: {a: {command: ls}}`);
    expect(loaded.diagnostics).toEqual([]);
    expect(loaded.sections).toMatchObject({ ...section, mcpServers: { a: { command: 'ls' } } });
  });

  it('takes the servers of an MCP client and ignores its other settings', () => {
    const loaded = load('theme: dark\nmcpServers: {a: {command: ls}}');
    expect(loaded.sections['mcpServers']).toEqual({ a: { command: 'ls' } });
    expect(loaded.diagnostics).toMatchObject([
      { severity: 'note', path: ['theme'], message: 'is a setting of an MCP client and is ignored.' },
    ]);
  });

  it.each([
    [
      'tools: [{id: a, type: rag, description: A, collection: c}, {id: b, type: run, description: B, commands: [{cmd: ls}]}]\npolicy: {}',
      [
        `board.yaml:1:14 tools[0].id: "id" is what ctx calls a tool's name, and "policy" makes this a Pegboard file. Write "name" for "id" in its tools, or put "policy" into a file of its own that imports this one.`,
      ],
    ],
    [
      'tools: [{id: a, type: rag, description: A, collection: c}, {name: b, type: cli, description: B, command: ls}]',
      [
        'board.yaml:1:76 tools[1].type: must be one of "run", "http", "rag"; got "cli".',
        `board.yaml:1:14 tools[0].id: this file is read as one of ctx's, because tools[0] has "id" in place of "name". Write "name" for "id" in its tools to make it a Pegboard file, or put tools[1] into a file of its own.`,
      ],
    ],
  ])('explains how it read a file that mixes dialects (%#)', (text, messages) => {
    expect(errorsOf(text).map((error) => error.split('\n', 1)[0])).toEqual(messages);
  });

  it('follows the rules of CLImax', () => {
    const loaded = load(
      'command: ~/bin/$TOOL run\ntags: [x]\ntools:\n  - {name: a, description: A, command: "one two", timeout: 0, args: [{name: p, positional: true, default: yes}]}\n  - {name: b, description: B, timeout: 2.5, extra: passed over}\n',
      { HOME: '/home/ada', TOOL: 'tool' },
    );
    const [a, b] = loaded.entries as CliEntry[];
    expect(loaded).toMatchObject({ name: 'climax', category: undefined, tags: ['x'] });
    expect(a).toMatchObject({
      metadata: { source: 'climax', timeout: 30_000, risk: 'read', tags: ['x'] },
      settings: {
        command: ['/home/ada/bin/tool', 'run', 'one', 'two'],
        args: [{ name: 'p', place: 'positional', default: true, type: 'string' }],
      },
    });
    expect(b?.metadata.timeout).toBe(2500);
  });
});

describe('errors', () => {
  it('are reported together, each with its place and the allowed values', () => {
    expect(
      errorsOf(`name: x
tools:
  - type: cli
    name: a b
    descripton: hi
    command: git
    args:
      - name: n
        type: int
  - type: rag
    name: docs
    description: d
    collection: c
    operations: [serch]
  - type: htp
    name: z
    description: d
`),
    ).toEqual([
      'board.yaml:4:11 tools[0].name: must be 1 to 128 letters, digits, "_", "." and "-"; got "a b".\n    4 |     name: a b\n      |           ^^^',
      'board.yaml:3:5 tools[0].description: is required.\n    3 |   - type: cli\n      |     ^',
      'board.yaml:9:15 tools[0].args[0].type: must be one of "string", "integer", "number", "boolean", "array", "object", "file"; got "int". Did you mean "integer"?\n    9 |         type: int\n      |               ^^^',
      expect.stringContaining('board.yaml:5:5 tools[0].descripton: is not a known key.'),
      'board.yaml:14:5 tools[1].operations: Invalid RAG operation "serch". Valid: search, store.\n   14 |     operations: [serch]\n      |     ^^^^^^^^^^',
      'board.yaml:15:11 tools[2].type: must be one of "cli", "run", "http", "rag", "mcp", "script", "program"; got "htp". Did you mean "http"?\n   15 |   - type: htp\n      |           ^^^',
    ]);
  });

  it.each([
    ['collection: ""', 'collection', 'RAG tool must specify a collection.'],
    ['collection: c\n    operations: []', 'operations', 'RAG tool must have at least one operation.'],
    ['collection: c\n    operations: search', 'operations', 'RAG tool operations must be an array.'],
    ['collection: c\n    description: ""', 'description', 'RAG tool must have a non-empty description.'],
  ])('of knowledge tools have their own messages: %s', (lines, field, message) => {
    const description = lines.includes('description') ? '' : '\n    description: D';
    const { diagnostics } = load(`tools:\n  - id: k\n    type: rag${description}\n    ${lines}\n`);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ severity: 'error', path: ['tools', 0, field], message }),
    );
  });

  it('name an unset variable and a missing secret file', () => {
    const text = (description: string) => `tools: [{type: cli, name: a, command: ls, description: "${description}"}]`;
    const told = (description: string) => {
      const { diagnostics } = load(text(description));
      return diagnostics.map(({ severity, path, message }) => `${severity} ${path.join('.')}: ${message}`);
    };
    expect(told('${NOPE}')).toEqual([
      'warning tools.0.description: the variable NOPE is not set, so the tool "a" is off. Set it in the environment or under variables, or write ${NOPE:-default}.',
    ]);
    expect(told('${file:/no/such/secret}')[0]).toContain(
      'the file "/no/such/secret" cannot be read, so the tool "a" is off.',
    );
    expect(told('${NOPE:-fine}')).toEqual([]);
    expect(errorsOf('policy: {deny: ["${NOPE}"]}\ntools: []')[0]).toContain(
      'policy.deny[0]: the variable NOPE is not set.',
    );
    // An error about the length of ${NOPE} would add nothing.
    expect(errorsOf('serve: {token: "${NOPE}"}')).toEqual([
      expect.stringContaining('serve.token: the variable NOPE is not set.'),
    ]);
  });
});

describe('variables', () => {
  it('are filled in once, from the file before the environment, with defaults', () => {
    const loaded = load(
      'variables: {A: "one", B: "${A} two"}\ntools: [{id: a, description: A, commands: [{cmd: echo, args: ["${B}", "${C}", "${D:-four}", "{{x}}"]}], schema: {properties: {x: {type: string}}}}]',
      { A: 'outer', C: '${A}' },
    );
    const [entry] = loaded.entries as RunEntry[];
    expect(entry?.settings.commands[0]?.args.map(({ text }) => text)).toEqual(['one two', '${A}', 'four', '{{x}}']);
  });

  it('are recognized as secrets', () => {
    const loaded = load(
      'env: {LEVEL: info, MY_PASSWORD: "${PW}"}\ntools: [{type: http, name: a, description: A, requests: [{url: "https://example.com/", headers: {X: "${API_TOKEN}"}}]}, {type: cli, name: b, description: B, command: ls}]',
      { API_TOKEN: 'tok-123456', PW: 'hunter2hunter2' },
    );
    expect(new Set(loaded.secrets())).toEqual(new Set(['tok-123456', 'hunter2hunter2']));
  });
});

it('never breaks on randomly changed files', () => {
  const texts = globSync(join(import.meta.dirname, '../../test/fixtures/*/*.yaml')).map((file) =>
    readFileSync(file, 'utf8'),
  );
  expect(texts.length).toBeGreaterThan(3);
  const edit = fc.record({
    at: fc.nat(),
    length: fc.nat(12),
    text: fc.oneof(
      fc.constantFrom('[', '{', ': ', '- ', '\n', '  ', '*', '&a ', '!', '${A}', '{{x}}', '"', 'null', '-1'),
      fc.string(),
    ),
  });
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 6 }), (original, edits) => {
      const changed = edits.reduce((text, { at, length, text: inserted }) => {
        const start = at % (text.length + 1);
        return text.slice(0, start) + inserted + text.slice(start + length);
      }, original);
      try {
        for (const diagnostic of load(changed).diagnostics) formatDiagnostic(diagnostic);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
      }
    }),
    { numRuns: 1000 },
  );
});

it('finishes on files crafted to take forever', () => {
  // Each of these once took minutes or more.
  expect(errorsOf(`name: "${'${A:-'.repeat(60_000)}"`)).toEqual([]);
  expect(errorsOf(`name: "${'${file:'.repeat(30_000)}"`)).toEqual([]);
  const unset = Array.from(
    { length: 20_000 },
    (_, n) => `  - {type: cli, name: t${n}, command: ls, description: "\${NOPE${n}}"}`,
  );
  expect(load(`tools:\n${unset.join('\n')}`).diagnostics).toHaveLength(20_000);
  expect(errorsOf(Array.from({ length: 50_000 }, (_, n) => `k${n}: v`).join('\n'))).toHaveLength(20);
});

it('requires the image of a docker executor', () => {
  expect(errorsOf('executor: {type: docker}\ntools: {}')).toEqual([
    'board.yaml:1:1 executor.image: the docker executor needs an image to run commands in.\n    1 | executor: {type: docker}\n      | ^^^^^^^^',
  ]);
});

it('uses the default for an unreadable file, as the message advises', () => {
  const board = (text: string): string => `tools: [{type: cli, name: a, description: A, command: [echo, '${text}']}]`;
  const [entry] = load(board('${file:/nowhere/token:-none}')).entries;
  expect(entry).toMatchObject({ kind: { type: 'cli' }, settings: { command: ['echo', 'none'] } });
  expect(load(board('${file:/nowhere/token}')).diagnostics.map(formatDiagnostic)[0]).toContain(
    'the file "/nowhere/token" cannot be read, so the tool "a" is off. Create it, or write ${file:/nowhere/token:-default}.',
  );
});
