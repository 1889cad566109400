import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { defineTool } from '../../../tool/define/define-tool.ts';
import { openBoard } from '../../../open-board.ts';
import { tellWaiting } from './tell-waiting.ts';

it('reports at once and repeatedly what waits and how to answer it, until it is answered', async () => {
  const data = mkdtempSync(join(tmpdir(), 'pegboard-tell-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const send = defineTool({ name: 'send', description: 'x', schema: { type: 'object' }, execute: () => 'sent' });
  const policy = { approval: { global: 'write', headless: 'wait' } } as const;
  const board = await openBoard({ tools: [send], policy, data, env: {} });
  onTestFinished(() => board.close());
  const told: string[] = [];
  const stop = tellWaiting(board, (text) => told.push(text), 1);
  onTestFinished(stop);
  const call = board.call('send', {});
  await expect.poll(() => told.length, { timeout: 60_000 }).toBeGreaterThan(1);
  const id = (await board.approvals.list())[0]?.id ?? '';
  const answer = `Answer it with: pegboard approvals allow ${id}, or: pegboard approvals deny ${id}`;
  expect(told.slice(0, 2)).toEqual([
    `A call of send waits for an approval. ${answer}`,
    `The call of send still waits. ${answer}`,
  ]);
  await board.approvals.answer(id, { allow: true });
  expect((await call).text).toBe('sent');
});
