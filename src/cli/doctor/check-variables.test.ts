import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../load/load-config.ts';
import { createTestContext } from '../cli-context.test-helper.ts';
import { checkVariables } from './check-variables.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pegboard-doctor-'));
afterAll(() => rmSync(cwd, { recursive: true }));

function check(yaml: string, env: Readonly<Record<string, string>>): string[] {
  writeFileSync(join(cwd, 'x.yaml'), yaml);
  const context = createTestContext({ cwd, env });
  const checks = checkVariables(loadConfig(['x.yaml'], { cwd, env }).files, context);
  return checks.map(({ name, status }) => `${status} ${name.replace(cwd, '.')}`);
}

describe('checkVariables', () => {
  it('tells what must be set from what may be, and knows variables of the file itself', () => {
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
    expect(check(yaml, { SET: '1' })).toEqual(['ok SET', 'missing GONE', 'ok file:./secret.txt', 'warning MAYBE']);
    expect(check(yaml, { SET: '1', GONE: '1' }).slice(3)).toEqual(['warning MAYBE', 'warning PASSED']);
  });

  it('reads variables as CLImax does', () => {
    const yaml =
      'name: x\ncommand: $BIN/tool\nenv: { A: "$HOME" }\ntools: [{ name: t, description: "costs $5 $NOT" }]\n';
    expect(check(yaml, { HOME: '/h' })).toEqual(['warning BIN', 'ok HOME']);
  });
});
