import { expect, it } from 'vitest';
import { openBoard } from '../../index.ts';
import { makeFolder } from './http-board.test-helper.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

it.each([
  ['http://127.0.0.1:9/x', '127.0.0.1:9'],
  ['http://localhost:9/x', 'localhost:9 (127.0.0.1)'],
  ['http://169.254.169.254/{{id}}', '169.254.169.254:80'],
])('refuses a call to %s before a person is asked', async (url, place) => {
  const folder = makeFolder();
  const file = join(folder, 'pegboard.json');
  const tool = {
    name: 't',
    type: 'http',
    description: 't',
    risk: 'destructive',
    requests: [{ url, method: 'DELETE' }],
  };
  const schema = { type: 'object', properties: { id: { type: 'string' } } };
  writeFileSync(file, JSON.stringify({ tools: [{ ...tool, schema }] }));
  const asked: string[] = [];
  const board = await openBoard({
    files: file,
    cwd: folder,
    data: join(folder, 'data'),
    policy: { approval: { global: 'destructive' } },
    approve: ({ tool: name }) => {
      asked.push(name);
      return true;
    },
  });
  try {
    const result = await board.call('t', { id: 'x' });
    expect(result.ok ? undefined : [result.error.code, result.text]).toEqual([
      'permission_denied',
      expect.stringContaining(`Requests to ${place} are not allowed`),
    ]);
    expect(asked).toEqual([]);
  } finally {
    await board.close();
  }
});
