// Every kind of config entry, by the contract that `pegboard/testing` gives to those who write another.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { kindContract, type KindSubject } from '../src/testing.ts';
import { testContract } from '../src/testing/contracts/test-contract.test-helper.ts';

let server: Server;
let origin = '';
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    if (pathname === '/slow') return;
    response.statusCode = pathname === '/missing' ? 404 : 200;
    response.end(`hello ${searchParams.get('name')}`);
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const schema = 'schema: { properties: { name: { type: string } }, required: [name] }';
const good = { input: { name: 'Ada' }, wrong: { name: { first: 'Ada' } } };
const node = JSON.stringify(process.execPath);
const oddServer = JSON.stringify(join(import.meta.dirname, 'fixtures/mcp/odd-server.ts'));

const KINDS: Readonly<Record<string, () => KindSubject>> = {
  cli: () => ({
    ...good,
    tool: 'greet',
    answer: 'hello Ada',
    board: `tools:
  - { name: greet, type: cli, description: Greet somebody, command: echo hello, args: [{ name: name, positional: true, required: true }] }
  - { name: fail, type: cli, description: Fail, command: 'false' }
  - { name: wait, type: cli, description: Wait, command: sleep 100 }
`,
    failing: { tool: 'fail', input: {} },
    slow: { tool: 'wait', input: {} },
    broken: [
      { board: 'tools:\n  - { name: greet, type: cli, description: Greet, command: 7 }\n', path: 'tools[0].command' },
      { board: 'tools:\n  - { name: greet, type: cli, description: Greet }\n', path: 'tools[0].command' },
    ],
  }),
  run: () => ({
    ...good,
    tool: 'greet',
    answer: 'hello Ada',
    board: `tools:
  - { name: greet, type: run, description: Greet somebody, ${schema}, commands: [{ cmd: echo, args: [hello, '{{name}}'] }] }
  - { name: fail, type: run, description: Fail, commands: [{ cmd: 'false' }] }
  - { name: wait, type: run, description: Wait, commands: [{ cmd: sleep, args: ['100'] }] }
`,
    failing: { tool: 'fail', input: {} },
    slow: { tool: 'wait', input: {} },
    broken: [
      {
        board: `tools:\n  - { name: greet, type: run, description: Greet, commands: [{ cmd: echo, args: ['{{nobody}}'] }] }\n`,
        path: 'tools[0].commands[0].args[0]',
      },
    ],
  }),
  http: () => ({
    ...good,
    tool: 'greet',
    answer: 'hello Ada',
    board: `tools:
  - { name: greet, type: http, description: Greet somebody, ${schema}, allow_hosts: [127.0.0.1], requests: [{ url: '${origin}/', query: { name: '{{name}}' } }] }
  - { name: miss, type: http, description: Miss, allow_hosts: [127.0.0.1], requests: [{ url: '${origin}/missing' }] }
  - { name: wait, type: http, description: Wait, allow_hosts: [127.0.0.1], requests: [{ url: '${origin}/slow' }] }
`,
    failing: { tool: 'miss', input: {} },
    slow: { tool: 'wait', input: {} },
    broken: [
      {
        board: `tools:\n  - { name: greet, type: http, description: Greet, requests: [{ url: 'ftp://example.com/' }] }\n`,
        path: 'tools[0].requests[0].url',
      },
    ],
  }),
  script: () => ({
    ...good,
    tool: 'greet',
    answer: 'hello Ada',
    files: {
      'tools.ts': `const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const tool = (name: string, more: object) => ({ metadata: { name, description: 'Does ' + name }, schema: { type: 'object' }, ...more });
export const greet = tool('greet', { schema, execute: ({ name }: { name: string }) => 'hello ' + name });
export const fail = tool('fail', { execute: () => { throw new Error('broken'); } });
export const wait = tool('wait', { execute: () => new Promise(() => {}) });
`,
    },
    board: 'tools:\n  - { type: script, file: ./tools.ts }\n',
    failing: { tool: 'fail', input: {} },
    slow: { tool: 'wait', input: {} },
    broken: [{ board: 'tools:\n  - { type: script, file: ./none.ts }\n', path: 'tools[0]' }],
  }),
  rag: () => ({
    tool: 'notes-store',
    input: { content: 'The fox is red.' },
    wrong: { content: 7 },
    answer: 'knowledge base',
    board: `rag: { collections: { notes: { description: What was noted } } }
tools:
  - { name: notes, type: rag, description: Notes of all kinds, collection: notes }
`,
    broken: [
      {
        board: 'tools:\n  - { name: notes, type: rag, description: Notes, collection: notes, operations: [serch] }\n',
        path: 'tools[0].operations',
      },
    ],
  }),
  mcp: () => ({
    tool: 'say',
    input: { text: 'hello Ada' },
    answer: 'hello Ada',
    board: `mcpServers: { odd: { command: ${node}, args: [${oddServer}] } }
tools:
  - { name: say, type: mcp, server: odd, tool: echo, description: Say it again }
  - { name: fall, type: mcp, server: odd, tool: crash, description: Fall over }
  - { name: wait, type: mcp, server: odd, tool: slow, description: Wait }
`,
    failing: { tool: 'fall', input: {} },
    slow: { tool: 'wait', input: {} },
    broken: [{ board: 'tools:\n  - { name: say, type: mcp, server: nobody, tool: echo }\n', path: 'tools[0].server' }],
  }),
};

describe.each(Object.entries(KINDS))('the kind %s', (_, subject) => {
  // The names do not depend on the server, which starts later; what is run does.
  const checks = kindContract(subject()).map(({ name }, index) => ({
    name,
    check: async () => kindContract(subject())[index]?.check(),
  }));
  testContract(checks);
});
