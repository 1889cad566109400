// The PostgreSQL server with pgvector that `npm test` runs for the time of the tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasOwnPgvector, PGVECTOR_ROOT } from '../scripts/test-set-up/parts.ts';
import { needs } from './needs.test-helper.ts';

const PROGRAM = `
import { startVectorServer } from './scripts/test-set-up/vector-server.ts';
console.log((await startVectorServer())?.url);
setInterval(() => {}, 1_000);
`;

it('ends and leaves no data when the process that started it is killed', needs('pgvector'), async ({ skip }) => {
  if (hasOwnPgvector() || !existsSync(PGVECTOR_ROOT)) skip('The server with pgvector is not one that npm test made.');
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    cwd: join(import.meta.dirname, '..'),
  });
  const data = join(PGVECTOR_ROOT, 'var/lib/postgresql');
  const [url] = await once(child.stdout.setEncoding('utf8'), 'data');
  expect(url).toMatch(/^postgresql:\/\/postgres@127\.0\.0\.1:\d+\/postgres\n$/);
  expect(readdirSync(data)).toContain(`tests-${child.pid}`);
  child.kill('SIGKILL');
  await expect.poll(() => readdirSync(data)).not.toContain(`tests-${child.pid}`);
  // Data are removed once the server has ended.
  await expect(fetch(`http://127.0.0.1:${new URL(url).port}`)).rejects.toThrow('fetch failed');
});
