// `npm test`: runs the tests that can run here, with a PostgreSQL server that has pgvector where there is one. What was left out
// stands at the end of the run (test-set-up/left-out-reporter.ts). PEGBOARD_TEST_COMPLETE=1 refuses to leave anything out.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { findMissingParts, howToGet, PARTS } from './test-set-up/parts.ts';
import { startVectorServer } from './test-set-up/vector-server.ts';

const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');

async function runTests(): Promise<number> {
  const server = process.env['PEGBOARD_TEST_POSTGRES_URL'] === undefined ? await startVectorServer() : undefined;
  if (server !== undefined) process.env['PEGBOARD_TEST_POSTGRES_URL'] = server.url;
  try {
    const missing = process.env['PEGBOARD_TEST_COMPLETE'] === '1' ? await findMissingParts() : [];
    if (missing.length === 0) return await runVitest();
    console.error('PEGBOARD_TEST_COMPLETE=1, and tests would be left out. Missing:');
    for (const name of missing) console.error(`  ${name}: needed for ${PARTS[name].why}. Get it: ${howToGet(name)}`);
    return 1;
  } finally {
    await server?.close();
  }
}

function runVitest(): Promise<number> {
  const child = spawn(process.execPath, [vitest, 'run', ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to vitest too, which ends what it started; then this process ends the server.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => void child.once('close', (code) => resolve(code ?? 1)));
}

// The set-up may have left a timer running.
process.exit(await runTests());
