// A tool has one source and one risk in every list.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { defineTool, openBoard, ToolIndex, ToolRegistry } from '../src/index.ts';
import { CLI, entryFile } from './cli-program.test-helper.ts';

it('gives the same source and risk for a script, a command and code, in every listing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-listings-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'greet.ts'),
    `import { defineTool } from ${JSON.stringify(entryFile('index'))};
     export default defineTool({ name: 'greet', description: 'Greets a person.', schema: {}, execute: () => 'hi' });`,
  );
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    `name: office
tools:
  - { type: script, file: ./greet.ts }
  - { type: cli, name: date, description: Greets nobody but tells the date., command: date, risk: read }
`,
  );
  const run = (...args: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      execFile(process.execPath, [CLI, ...args, '--trust'], { cwd: folder }, (_, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
  const greet = { name: 'greet', source: 'office', risk: 'write', riskStated: false };
  const date = { name: 'date', source: 'office', risk: 'read', riskStated: true };
  expect(JSON.parse(await run('list', '--json'))).toMatchObject([greet, date]);
  expect(JSON.parse(await run('show', 'greet', '--json'))).toMatchObject(greet);
  expect(JSON.parse(await run('search', 'greets a person', '--json'))[0]).toMatchObject(greet);
  expect(await run('list')).toContain('greet\toffice\twrite (assumed)\tGreets a person.\n');
  expect(await run('search', 'greets a person')).toContain('greet\toffice\twrite (assumed)\t');
  expect(await run('show', 'greet')).toMatch(/^source +office.*\nkind +script\nrisk +write \(assumed\)$/m);
  expect(await run('list', '--source', 'office')).toContain('greet\t');

  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder, discoveryTools: true });
  onTestFinished(() => board.close());
  expect(board.index.search({ cli: 'office' }).map(({ name }) => name)).toEqual(['greet', 'date']);
  expect((await board.call('describe_tool', { name: 'greet' })).text).toContain(
    'risk: write (assumed); source: office',
  );
  expect((await board.call('describe_tool', { name: 'greet' })).data).toMatchObject({ tools: [greet] });
  const before = board.registry.get('greet');
  await board.reload();
  expect(board.registry.get('greet')).toBe(before);

  const code = new ToolRegistry();
  code.register(defineTool({ name: 'own', description: 'Own', schema: {}, execute: () => '' }));
  expect(ToolIndex.from(code).search({ cli: 'code' })).toMatchObject([{ name: 'own', cli: 'code' }]);
});
