import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Board } from '../../src/index.ts';
import { openBoard } from '../../src/index.ts';
import { knowledgeTools, openKnowledge } from '../../src/rag.ts';

const CUSTOMERS = 60;
const ORDERS = 200;
const FILES = 20;

/** A board over real tools: files of an MCP server, git, SQLite, an HTTP API on this machine, and a knowledge base. */
export async function makeBoard(folder: string): Promise<{ readonly board: Board; close(): Promise<void> }> {
  const files = join(folder, 'files');
  mkdirSync(files, { recursive: true });
  for (let file = 0; file < FILES; file++) {
    const lines = Array.from({ length: 40 + file }, (_, line) =>
      line % 13 === file % 13 ? `TODO ${line}: mend it` : `line ${line} of module ${file} does its work`,
    );
    writeFileSync(join(files, `module${file}.txt`), `${lines.join('\n')}\n`);
  }
  makeRepository(join(folder, 'repo'));
  makeDatabase(join(folder, 'shop.db'));
  const api = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(url)));
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  // It listens on a port, so it has an address of this form.
  const { port } = api.address() as AddressInfo;
  const root = join(import.meta.dirname, '../..');
  const knowledge = openKnowledge({
    data: join(folder, 'knowledge'),
    base: root,
    collections: { docs: { description: 'How Pegboard is used' } },
  });
  await knowledge.collection('docs').index(['docs'], { cwd: root, type: 'reference' });
  const server = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json');
  const config = join(folder, 'pegboard.yaml');
  writeFileSync(
    config,
    `mcpServers: { files: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(join(dirname(server), 'dist/index.js'))}, ${JSON.stringify(files)}], prefix: '' } }
policy: { approval: { global: none } }
tools:
  - { name: sql, type: cli, description: Run a query on the shop database and give rows as JSON, command: [sqlite3, -json, ${JSON.stringify(join(folder, 'shop.db'))}], risk: read, args: [{ name: query, type: string, description: 'A SELECT on orders(id, customer, total, due, status)', positional: true, required: true }] }
  - { name: git_log, type: cli, description: List commits of the repository, command: [git, -C, ${JSON.stringify(join(folder, 'repo'))}, log, '--format=%h|%an|%ad|%s', '--date=short'], risk: read, args: [{ name: max_count, type: integer, flag: --max-count }] }
  - { name: git_show, type: cli, description: Show a commit with its changes, command: [git, -C, ${JSON.stringify(join(folder, 'repo'))}, show], risk: read, args: [{ name: commit, type: string, positional: true, required: true }] }
  - name: customer
    type: http
    description: Get a customer by id
    risk: read
    allow_hosts: [127.0.0.1]
    schema: { properties: { id: { type: integer } }, required: [id] }
    requests: [{ url: 'http://127.0.0.1:${port}/customers/{{id}}', method: GET }]
  - name: invoices
    type: http
    description: List all invoices
    risk: read
    allow_hosts: [127.0.0.1]
    schema: { properties: {} }
    requests: [{ url: 'http://127.0.0.1:${port}/invoices', method: GET }]
`,
  );
  const tools = knowledgeTools(knowledge, {
    name: 'docs',
    description: 'Search what the team knows',
    collection: 'docs',
  });
  const board = await openBoard({ files: [config], tools, data: join(folder, 'data'), servers: 'eager' });
  return {
    board,
    async close() {
      await board.close();
      await knowledge.close();
      api.close();
    },
  };
}

function answer(url: string): unknown {
  const id = /\/customers\/(\d+)/.exec(url)?.[1];
  if (id !== undefined)
    return {
      id: Number(id),
      name: `Customer ${id}`,
      email: `customer${id}@example.com`,
      address: { street: `${id} High Street`, city: 'Springfield', zip: `1${id.padStart(4, '0')}` },
      since: '2019-04-01',
      notes: 'Prefers to be written to in the morning.',
    };
  return Array.from({ length: ORDERS }, (_, order) => ({
    invoice: `I-${order}`,
    order,
    total: totalOf(order) + (order % 37 === 0 ? 5 : 0),
    issued: '2026-10-10',
    paid: order % 3 === 0,
  }));
}

function totalOf(order: number): number {
  return 20 + ((order * 7919) % 480);
}

function makeDatabase(file: string): void {
  const rows = Array.from(
    { length: ORDERS },
    (_, id) =>
      `(${id}, ${id % CUSTOMERS}, ${totalOf(id)}, '2026-${String(1 + (id % 12)).padStart(2, '0')}-15', '${id % 4 === 0 ? 'open' : 'paid'}')`,
  );
  const script = `CREATE TABLE orders (id INTEGER, customer INTEGER, total INTEGER, due TEXT, status TEXT); INSERT INTO orders VALUES ${rows.join(',')};`;
  execFileSync('sqlite3', [file], { input: script });
}

function makeRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const git = (...args: string[]): unknown => execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe' });
  git('init', '-q');
  const commits = Array.from({ length: 80 }, (_, number) => {
    const author = ['Ada', 'Grace', 'Linus'][number % 3] ?? '';
    const body = Array.from(
      { length: 1 + ((number * 31) % 60) },
      (__, line) => `line ${line} of change ${number}`,
    ).join('\n');
    const message = `change ${number}`;
    return [
      'commit refs/heads/main',
      `committer ${author} <${author.toLowerCase()}@example.com> ${1_760_000_000 + number * 3600} +0000`,
      `data ${message.length}`,
      message,
      `M 100644 inline file${number}.txt`,
      `data ${Buffer.byteLength(body)}`,
      body,
      '',
    ].join('\n');
  });
  execFileSync('git', ['-C', folder, 'fast-import', '--quiet'], { input: commits.join('\n') });
  git('symbolic-ref', 'HEAD', 'refs/heads/main');
}
