import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { readStory, toPattern, trimLines, type StoryStep } from './read-story.test-helper.ts';
import { Terminal } from './terminal.test-helper.ts';

const root = join(import.meta.dirname, '../..');

/** The folder and environment of a story. */
export interface StoryPlace {
  /** An empty folder. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Texts of the page and their replacements in the story, such as a free port. */
  readonly replace?: Readonly<Record<string, string>>;
  /** Ends the story. */
  readonly signal: AbortSignal;
}

/** Follows a page from its first block to its last, as a person at a terminal would, and fails where the page says something else. */
export async function runStory(page: string, { folder, env, replace = {}, signal }: StoryPlace): Promise<void> {
  let markdown = readFileSync(join(root, page), 'utf8');
  for (const [shown, real] of Object.entries(replace)) markdown = markdown.replaceAll(shown, real);
  const steps = readStory(page, markdown);
  expect(steps.length, `steps of ${page}`).toBeGreaterThan(5);
  mkdirSync(folder, { recursive: true });
  const terminals = [await Terminal.open(folder, env)];
  signal.addEventListener('abort', () => terminals.forEach((terminal) => terminal.kill()));
  try {
    for (const step of steps) await takeStep(step, { folder, env, terminals });
  } finally {
    await Promise.all(terminals.map((terminal) => terminal.close()));
  }
  checkTypes(folder);
}

interface Stage {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly terminals: Terminal[];
}

async function takeStep(step: StoryStep, { folder, env, terminals }: Stage): Promise<void> {
  if (step.type === 'file') {
    mkdirSync(dirname(join(folder, step.path)), { recursive: true });
    writeFileSync(join(folder, step.path), step.text);
    return;
  }
  const { at, line, expected, marks } = step;
  if (marks.keepsRunning) {
    const terminal = await Terminal.open(folder, env);
    terminals.push(terminal);
    await terminal.start(line, toPattern(expected, { isWhole: false }), marks.keys);
    return;
  }
  const { text, code } = (await terminals[0]?.run(line, marks.keys)) ?? { text: '', code: -1 };
  const shown = trimLines(text);
  if (!toPattern(expected, { isWhole: true }).test(shown)) expect(shown, `${at} $ ${line}`).toBe(trimLines(expected));
  expect(code !== 0, `${at} $ ${line}\nends with ${code} and shows: ${shown}`).toBe(marks.fails);
}

/** Checks the TypeScript of the page against the types of the installed package. */
function checkTypes(folder: string): void {
  const files = globSync('*.ts', { cwd: folder });
  if (files.length === 0) return;
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--allowImportingTsExtensions'];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), [...flags, ...types, ...files], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
}
