import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { importBoard, type ImportedBoard } from './import-board.test-helper.ts';

type Line = readonly [line: string, tool: string, input: Record<string, unknown>];

const LINES: readonly Line[] = [
  ['terraform init -input=false -upgrade', 'terraform_init', { input: false, upgrade: true }],
  [
    'terraform init -backend-config=a.hcl -backend-config=key=x -reconfigure',
    'terraform_init',
    { backend_config: ['a.hcl', 'key=x'], reconfigure: true },
  ],
  ['terraform init -backend=false', 'terraform_init', { backend: false }],
  ['terraform validate -json', 'terraform_validate', { json: true }],
  ['terraform -chdir=infra validate', 'terraform_validate', { chdir: 'infra' }],
  ['terraform plan -out=next.plan', 'terraform_plan', { out: 'next.plan' }],
  [
    'terraform plan -var region=eu -var size=2 -var-file=a.tfvars -var-file=b.tfvars',
    'terraform_plan',
    { var: { region: 'eu', size: '2' }, var_file: ['a.tfvars', 'b.tfvars'] },
  ],
  [
    'terraform plan -refresh=false -target=module.web -target=module.db -detailed-exitcode',
    'terraform_plan',
    { refresh: false, target: ['module.web', 'module.db'], detailed_exitcode: true },
  ],
  ['terraform plan -destroy -lock=false', 'terraform_plan', { destroy: true, lock: false }],
  ['terraform apply next.plan', 'terraform_apply', { plan: 'next.plan' }],
  [
    'terraform apply -auto-approve -input=false -parallelism=4',
    'terraform_apply',
    { auto_approve: true, input: false, parallelism: 4 },
  ],
  [
    'terraform apply -auto-approve -replace=aws_instance.web',
    'terraform_apply',
    { auto_approve: true, replace: ['aws_instance.web'] },
  ],
  [
    'terraform -chdir=infra destroy -auto-approve -target=module.web',
    'terraform_destroy',
    { chdir: 'infra', auto_approve: true, target: ['module.web'] },
  ],
  [
    'terraform fmt -write=false -check -recursive modules',
    'terraform_fmt',
    { target: ['modules'], check: true, write: false, recursive: true },
  ],
  [
    'terraform import -var region=eu aws_instance.web i-1',
    'terraform_import',
    { addr: 'aws_instance.web', id: 'i-1', var: { region: 'eu' } },
  ],
  ['terraform output -raw address', 'terraform_output', { name: 'address', raw: true }],
  ['terraform show -json next.plan', 'terraform_show', { path: 'next.plan', json: true }],
  ['terraform state list -id=i-1 module.web', 'terraform_state_list', { address: ['module.web'], id: 'i-1' }],
  [
    'terraform state mv -dry-run a.one a.two',
    'terraform_state_mv',
    { source: 'a.one', destination: 'a.two', dry_run: true },
  ],
  ['terraform state rm a.one a.two', 'terraform_state_rm', { address: ['a.one', 'a.two'] }],
  ['terraform force-unlock -force 17', 'terraform_force-unlock', { lock_id: '17', force: true }],
  ['terraform workspace new -lock-timeout=5s blue', 'terraform_workspace_new', { name: 'blue', lock_timeout: '5s' }],
  ['terraform workspace select blue', 'terraform_workspace_select', { name: 'blue' }],
  ['terraform workspace delete -force blue', 'terraform_workspace_delete', { name: 'blue', force: true }],
];

// Debian has no terraform: the help pages of this stand-in are in its style.
describe('import of terraform', () => {
  let imported: ImportedBoard;
  beforeAll(async () => {
    const folder = join(import.meta.dirname, '../fixtures/terraform');
    vi.stubEnv('PATH', [folder, process.env['PATH']].join(delimiter));
    imported = await importBoard(['terraform']);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await imported.close();
  });

  it.each(LINES)('%s', async (line, tool, input) => {
    expect(await imported.lineOf(tool, input)).toBe(line);
  });

  it('finds every command, and groups are none', () => {
    expect(imported.tools.map(({ name }) => name.replace('terraform_', ''))).toEqual([
      'init',
      'validate',
      'plan',
      'apply',
      'destroy',
      'fmt',
      'force-unlock',
      'get',
      'import',
      'output',
      'show',
      'state_list',
      'state_mv',
      'state_rm',
      'state_show',
      'version',
      'workspace_delete',
      'workspace_list',
      'workspace_new',
      'workspace_select',
    ]);
  });

  it('guesses what only looks and what destroys', () => {
    const risks = Object.fromEntries(imported.tools.map(({ name, risk }) => [name.replace('terraform_', ''), risk]));
    expect(risks).toMatchObject({
      validate: 'read',
      show: 'read',
      output: 'read',
      state_list: 'read',
      workspace_list: 'read',
      destroy: 'destructive',
      apply: 'destructive',
      state_rm: 'destructive',
      workspace_delete: 'destructive',
      // Its name says that it reads, its text that it brings programs.
      get: 'destructive',
      init: 'destructive',
      plan: undefined,
    });
    const risksOf = (tool: string): unknown[] =>
      (imported.tools.find(({ name }) => name === tool)?.args ?? []).flatMap(({ name, risk }) => (risk ? [name] : []));
    // Secrets of a state are hidden unless one of these is given.
    expect(risksOf('terraform_output')).toEqual(expect.arrayContaining(['name', 'json']));
  });
});
