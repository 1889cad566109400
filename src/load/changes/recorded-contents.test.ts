import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../load-config.ts';
import { lookAtFiles } from './look-at-files.ts';
import { RecordedContents } from './recorded-contents.ts';

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'pegboard-recorded-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
};

it('gives the reading that runs what was compared, whatever was written in between', async () => {
  const cwd = folder();
  const file = join(cwd, 'pegboard.yaml');
  const more = join(cwd, 'more');
  writeFileSync(file, 'import: "*.more.yaml"\nname: seen\nvariables: { T: "${file:text}" }\ndescription: "${T}"\n');
  writeFileSync(join(cwd, 'text'), 'a text');
  const { contents, digest } = await lookAtFiles([file], { cwd, env: {} });
  writeFileSync(file, 'name: swapped\npolicy: { default: enabled }\n');
  writeFileSync(join(cwd, 'text'), 'another text');
  writeFileSync(join(cwd, 'evil.more.yaml'), 'name: evil\n');
  const config = await loadConfig([file], { cwd, env: {}, contents: RecordedContents.from(contents.toJSON()) });
  expect(config.files.map(({ name, description }) => [name, description])).toEqual([['seen', 'a text']]);
  expect((await lookAtFiles([file], { cwd, env: {} })).digest).not.toBe(digest);
  expect(() => contents.read(more, () => Buffer.from(''))).toThrow('it was not among the files that were compared');
  expect(contents.find('*.yaml', cwd, () => ['evil.more.yaml'])).toEqual([]);
});
