// "Your first ten minutes": every page under docs/start is followed from an empty folder with the packed Pegboard, at a terminal.
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PART_NAMES, type PartName } from '../../scripts/test-set-up/parts.ts';
import { ALONE } from '../cli-program.test-helper.ts';
import { needs } from '../needs.test-helper.ts';
import { installPacked } from '../packed.test-helper.ts';
import { writeNpm } from './offline-npm.test-helper.ts';
import { runStory } from './run-story.test-helper.ts';
import { startStoryModel } from './story-model.test-helper.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'pegboard-stories-'));
const pages = globSync('docs/start/*.md', { cwd: root }).toSorted();

beforeAll(() => {
  installPacked('pegboard', root, folder);
  writeNpm(join(folder, 'bin'), join(folder, 'node_modules/pegboard'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A port that no program listens on. */
async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server has an address and a port.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The variables of a person's shell, and no more. */
function environment(home: string): NodeJS.ProcessEnv {
  mkdirSync(home, { recursive: true });
  const path = [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(':');
  return {
    PATH: path,
    HOME: home,
    XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    ...ALONE,
  };
}

/** The programs that the commands of a page start. */
function programsOf(page: string): PartName[] {
  const typed =
    readFileSync(join(root, page), 'utf8')
      .match(/^\$ .*/gm)
      ?.join('\n') ?? '';
  return PART_NAMES.filter((name) => new RegExp(`(?:^\\$ |[|;&(] *)${name} `, 'm').test(typed));
}

describe('your first ten minutes', () => {
  it('are there for each of five users', () => {
    expect(pages.map((page) => basename(page, '.md'))).toEqual([
      'agents',
      'backend',
      'devops',
      'documents',
      'platform',
    ]);
  });

  for (const page of pages)
    it.concurrent(`happen as ${page} says`, needs('script', ...programsOf(page)), async ({ signal }) => {
      const name = basename(page, '.md');
      const model = await startStoryModel();
      try {
        await runStory(page, {
          folder: join(folder, name),
          env: { ...environment(join(folder, 'home', name)), ...model.env },
          replace: { 7331: String(await findPort()) },
          signal,
        });
      } finally {
        await model.close();
      }
    });
});
