// Tasks whose process was killed with -9: another process goes on with them, or says what is known.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resultOf } from '../../src/mcp/server/test-client.test-helper.ts';
import { startPostgres } from '../../src/platform/postgres/test-server.test-helper.ts';
import { ABLE, serveTasks } from './task-takeover.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

const HELPER = join(import.meta.dirname, 'task-takeover.test-helper.ts');

describe.each(['SQLite', 'PostgreSQL'])('on %s', (driver) => {
  it(
    'takes over what may run again, and ends the rest with what is known',
    driver === 'SQLite' ? {} : needs('postgresql'),
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pegboard-takeover-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const postgres = driver === 'SQLite' ? undefined : await startPostgres();
      onTestFinished(() => postgres?.close());
      const printed = await new Promise<string>((resolve) => {
        execFile(
          process.execPath,
          [HELPER, folder, ...(postgres === undefined ? [] : [postgres.url])],
          (_, stdout, stderr) => resolve(stdout || stderr),
        );
      });
      const ids: Record<string, string> = JSON.parse(printed);
      const both = await Promise.all([1, 2].map(() => serveTasks(folder, postgres?.url, (tool) => `${tool} done`)));
      onTestFinished(async () => void (await Promise.all(both.map((server) => server.close()))));
      const ended = async (name: string): Promise<Readonly<Record<string, unknown>>> => {
        let task: Readonly<Record<string, unknown>> = {};
        await expect
          .poll(async () => {
            // Both processes are asked at once: one of them does the work.
            const [here, there] = await Promise.all(
              both.map(({ client }) => client.modern('tasks/get', { taskId: ids[name] }, ABLE)),
            );
            task = resultOf(here);
            return [task['status'], resultOf(there)['status']];
          })
          .not.toContain('working');
        return task;
      };
      for (const name of ['look', 'put', 'pay'])
        expect(await ended(name)).toMatchObject({
          status: 'completed',
          result: { content: [{ text: `${name} done` }] },
        });
      // It had not begun: it waited for the one before it.
      expect(await ended('waiting')).toMatchObject({
        status: 'completed',
        result: { content: [{ text: 'queued done' }] },
      });
      for (const name of ['send', 'queued'])
        expect(await ended(name)).toMatchObject({
          status: 'failed',
          error: {
            message: `The server stopped while "${name}" ran, so its result is lost: it may have happened, or not. Find out before you call the tool again.`,
          },
        });
      const effects = readFileSync(join(folder, 'effects'), 'utf8').trim().split('\n').toSorted();
      expect(effects.map((line) => line.split(' ')[0])).toEqual([
        'look',
        'look',
        'pay',
        'pay',
        'put',
        'put',
        'queued',
        'queued',
        'send',
      ]);
      // The same arguments, and the same key.
      expect(new Set(effects).size).toBe(6);
      const spaces = (await both[0]?.board.store.status())?.spaces;
      expect(spaces?.['mcp-tasks-log'] ?? 0).toBe(0);
    },
  );
});
