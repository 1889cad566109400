import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../load/load-config.ts';
import { createTestContext } from '../../shared/cli-context.test-helper.ts';
import { checkVariables } from './check-variables.ts';
import { findNeeds } from './check.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pegboard-doctor-'));
afterAll(() => rmSync(cwd, { recursive: true }));

async function check(yaml: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  writeFileSync(join(cwd, 'x.yaml'), yaml);
  const context = createTestContext({ cwd, env });
  const { files } = await loadConfig(['x.yaml'], { cwd, env });
  const checks = checkVariables(files, await findNeeds(files, context), context);
  return checks.map(({ name, status }) => `${status} ${name.replace(cwd, '.')}`);
}

describe('checkVariables', () => {
  it('distinguishes required variables from optional ones, and knows variables of the file itself', async () => {
    writeFileSync(join(cwd, 'secret.txt'), 'x');
    const yaml = `
variables: { OWN: x }
tools:
  - name: a
    type: cli
    description: \${OWN} \${SET} \${GONE} \${MAYBE:-y} \${file:${cwd}/secret.txt}
    # \${IN_A_COMMENT}
    command: ls
    env_pass: [PASSED, 'LC_*']
`;
    expect(await check(yaml, { SET: '1' })).toEqual([
      'ok SET',
      'missing GONE',
      'ok file:./secret.txt',
      'warning MAYBE',
    ]);
    expect((await check(yaml, { SET: '1', GONE: '1' })).slice(3)).toEqual(['warning MAYBE', 'warning PASSED']);
  });

  it('reads variables as CLImax does', async () => {
    const yaml =
      'name: x\ncommand: $BIN/tool\nenv: { A: "$HOME" }\ntools: [{ name: t, description: "costs $5 $NOT" }]\n';
    expect(await check(yaml, { HOME: '/h' })).toEqual(['warning BIN', 'ok HOME']);
  });
});
