import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openBoardStore } from '../../platform/store/open-board-store.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { declareTool } from './declare-tools.ts';
import { forgetShapes, learnShape, readShapes } from './learned-shapes.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-shapes-'));
const store = openBoardStore({ folder });
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('declareTool', () => {
  it('writes a signature that is shorter than the schema', () => {
    const tool = defineTool({
      name: 'list_orders',
      description: 'Lists orders.',
      schema: {
        type: 'object',
        properties: { status: { enum: ['open', 'paid'] }, limit: { type: 'integer' }, 'no id': { type: 'string' } },
        required: ['status'],
      },
      outputSchema: {
        type: 'object',
        properties: { items: { type: 'array', items: { type: 'object', properties: { id: { type: 'number' } } } } },
        required: ['items'],
      },
      execute: () => ({ items: [] }),
    });
    const written = declareTool(tool, 'list_orders');
    expect(written).toBe(
      'list_orders(args: { status: "open" | "paid"; limit?: number; "no id"?: string }): Promise<{ items: { id?: number }[] }>',
    );
    expect(written.length).toBeLessThan(JSON.stringify([tool.inputSchema, tool.outputSchema]).length / 2);
  });
});

describe('learned shapes', () => {
  it('keep names and types of results, and no value', async () => {
    await learnShape(store, { user: '', tool: 'orders' }, [{ id: 1, to: 'ada@example.com', tags: [] }]);
    await learnShape(store, { user: '', tool: 'orders' }, [{ id: 2, to: null, tags: ['x'], extra: true }]);
    await learnShape(store, { user: '', tool: 'table' }, { 'ada@example.com': { age: 3 }, '2026-01-01': { age: 4 } });
    const shapes = await readShapes(store, '');
    expect(JSON.stringify([...shapes])).not.toMatch(/ada|example|2026/);
    const tool = defineTool({ name: 'orders', description: 'x', schema: { type: 'object' }, execute: () => '' });
    expect(declareTool(tool, 'orders', { learned: shapes.get('orders') })).toMatch(
      /Promise<\{ id: number; to: string \| null; tags: string\[\]; extra\?: boolean \}\[\]>/,
    );
    expect(await forgetShapes(store, ['orders'])).toBe(1);
    expect([...(await readShapes(store, '')).keys()]).toEqual(['table']);
    expect(await forgetShapes(store)).toBe(1);
  });
});
