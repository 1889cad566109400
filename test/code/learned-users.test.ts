// Types that are learned from one user's results are not shown to another: names of fields can be data.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { codeToolsFor } from '../../src/code/code-tools.ts';
import { forgetShapes, readShapes } from '../../src/code/types/learned-shapes.ts';
import { defineTool, openBoard } from '../../src/index.ts';

it('shows a user the types that their own results taught, and no others', async () => {
  const data = mkdtempSync(join(tmpdir(), 'pegboard-learned-'));
  const salaries = defineTool({
    name: 'salaries',
    description: 'Lists salaries by person.',
    risk: 'read',
    schema: { type: 'object' },
    execute: (_, context) => ({ [`secret_of_${context.getMeta('caller', 'owner')}`]: 100 }),
  });
  const board = await openBoard({ tools: [salaries], data });
  onTestFinished(async () => {
    await board.close();
    rmSync(data, { recursive: true, force: true });
  });
  const [search, run] = codeToolsFor(board);
  if (search === undefined || run === undefined) throw new Error('There are no tools of code mode.');
  const context = (caller: string | undefined): Record<string, unknown> => ({
    context: caller === undefined ? {} : { caller },
  });
  const users = ['ada', undefined, 'bob'];
  for (const user of users) {
    const ran = await board.executor.execute(run, { code: 'return await tools.salaries({})' }, context(user));
    expect(ran.ok ? '' : ran.text).toBe('');
  }
  // The board writes what it learned after the answer.
  await expect.poll(async () => (await board.store.space('shapes').entries()).length).toBe(users.length);
  for (const user of [...users, 'carol']) {
    const { text } = await board.executor.execute(search, { query: 'salaries by person' }, context(user));
    const own = user === 'carol' ? [] : [`secret_of_${user ?? 'owner'}`];
    expect(text.match(/secret_of_\w+/g) ?? []).toEqual(own);
  }
  expect(await forgetShapes(board.store, ['salaries'])).toBe(1);
  expect((await readShapes(board.store, 'ada')).size).toBe(0);
});
