// Measures the cost of a question to a person without the person: asked, answered and used, each on disk, on SQLite and PostgreSQL.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POSTGRES_BIN, startPostgres } from '../src/platform/postgres/test-server.test-helper.ts';
import { loadBuilt } from './load-built.ts';
import { formatFigure, publish } from './report.ts';

const QUESTIONS = 200;
const AT_ONCE = 8;
const { openBoard, defineTool } = await loadBuilt('index');

const rows: string[][] = [await measure('SQLite')];
if (POSTGRES_BIN !== undefined) {
  const server = await startPostgres();
  try {
    rows.push(await measure('PostgreSQL', server.url));
  } finally {
    await server.close();
  }
}
publish({
  name: 'approvals',
  tables: [
    {
      caption: `A call that needs a yes: asked, answered, made again and run, each step on disk before the next; ${QUESTIONS} of them:`,
      head: ['Store', 'ms each, one after the other', `approvals/s, ${AT_ONCE} at once`],
      rows,
    },
  ],
  bars: [],
});

async function measure(name: string, url?: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-approvals-'));
  const send = defineTool({
    name: 'send',
    description: 'Sends a text',
    risk: 'write',
    schema: { type: 'object', properties: { to: { type: 'string' } } },
    execute: () => 'sent',
  });
  const env = { PEGBOARD_KEY: 'ab'.repeat(32) };
  const policy = { approval: {} };
  const board = await openBoard({
    tools: [send],
    policy,
    data: folder,
    env,
    ...(url === undefined ? {} : { store: url }),
  });
  const ask = async (key: string): Promise<void> => {
    const call = (): ReturnType<typeof board.call> =>
      board.call('send', { to: 'ada' }, { approval: { key, defer: true } });
    const { error } = await call();
    await board.approvals.answer(error?.approvalId ?? '', { allow: true, by: 'bench' });
    const result = await call();
    if (!result.ok) throw new Error(`${name}: ${result.text}`);
  };
  for (let count = 0; count < 20; count++) await ask(`warm ${count}`);
  const start = performance.now();
  for (let count = 0; count < QUESTIONS; count++) await ask(`one ${count}`);
  const alone = (performance.now() - start) / QUESTIONS;
  const together = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, line) => {
      for (let count = 0; count < QUESTIONS / AT_ONCE; count++) await ask(`${line} of many ${count}`);
    }),
  );
  const rate = QUESTIONS / ((performance.now() - together) / 1_000);
  await board.close();
  rmSync(folder, { recursive: true, force: true });
  return [name, formatFigure(alone), formatFigure(rate)];
}
