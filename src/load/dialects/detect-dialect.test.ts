import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../../index.ts';
import { detectDialect } from './detect-dialect.ts';

const TOOLS = [{ name: 'hi', type: 'cli', description: 'Hi', command: 'echo hi' }];

it.each([
  ['pegboard', { tools: TOOLS, prompts: { greet: { text: 'hello' } } }],
  ['pegboard', { tools: TOOLS, prompts: [] }],
  ['pegboard', { prompts: [{ name: 'greet', text: 'hello' }] }],
  ['ctx', { prompts: [{ id: 'greet', messages: [] }] }],
  ['ctx', { documents: [], tools: TOOLS }],
])('detects %s (%#)', (dialect, file) => {
  expect(detectDialect(file)).toBe(dialect);
});

it('reports prompts that are a mapping instead of a list', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-dialect-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(
    file,
    'tools:\n  - { name: hi, type: cli, description: Hi, command: echo hi }\nprompts:\n  greet: { text: hello }\n',
  );
  await expect(openBoard({ files: file, cwd: folder, data: join(folder, 'data') })).rejects.toThrow(
    /pegboard\.yaml:3:1 prompts: must be array, got an object\./,
  );
});
