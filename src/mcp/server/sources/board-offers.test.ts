import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBoard } from '../../../board/open-board.ts';
import { LOCAL_USER } from '../caller.ts';
import { McpServer } from '../mcp-server.ts';
import { resultOf, TestClient } from '../test-client.test-helper.ts';

it('serves an output to the client that made it, and to no other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'outputs-'));
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, 'tools: [{ name: count, type: cli, description: Count, command: seq 1 300000 }]\n');
  const board = await openBoard(file);
  try {
    const server = new McpServer(board);
    const as = (id: string) => new TestClient(server, { ...LOCAL_USER, id });
    const [mine, theirs] = [as('token:me'), as('token:them')];
    const result = JSON.stringify(resultOf(await mine.modern('tools/call', { name: 'count' })));
    const [id = ''] = /[\w-]{24}/.exec(result) ?? [];
    const uri = `pegboard://outputs/${id}`;
    // Another connection of the same client reads it too.
    expect(resultOf(await as('token:me').modern('resources/read', { uri }))).toMatchObject({ contents: [{ uri }] });
    expect(await theirs.modern('resources/read', { uri })).toMatchObject({ error: { code: -32602 } });
    for (const name of ['output_read', 'output_search']) {
      const call = { name, arguments: { id, ...(name === 'output_search' ? { text: '300000' } : {}) } };
      expect(resultOf(await mine.modern('tools/call', call))['isError'] ?? false).toBe(false);
      const refused = resultOf(await theirs.modern('tools/call', call));
      expect(refused).toMatchObject({ isError: true });
      expect(JSON.stringify(refused)).toContain('There is no stored output');
    }
  } finally {
    await board.close();
    rmSync(folder, { recursive: true });
  }
});

it('serves whole outputs that were too large to return', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'outputs-'));
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, 'tools: [{ name: count, type: cli, description: Count, command: seq 1 300000 }]\n');
  const board = await openBoard(file);
  try {
    const client = new TestClient(new McpServer(board));
    const result = JSON.stringify(resultOf(await client.modern('tools/call', { name: 'count' })));
    const [id] = /[\w-]{24}/.exec(result) ?? [];
    const uri = `pegboard://outputs/${id}`;
    const { contents } = resultOf(await client.modern('resources/read', { uri }));
    expect(contents).toMatchObject([
      { uri, mimeType: 'text/plain', text: expect.stringMatching(/^1\n2\n[^]*\n300000\n$/) },
    ]);
    const other = `pegboard://outputs/${'x'.repeat(24)}`;
    expect(await client.modern('resources/read', { uri: other })).toMatchObject({ error: { code: -32602 } });
  } finally {
    await board.close();
    rmSync(folder, { recursive: true });
  }
});
