import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importBoard, type ImportedBoard, type RootedCall } from './import-board.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

type Line = readonly [line: string, tool: string, input: Record<string, unknown>];

const LINES: readonly Line[] = [
  ['gh pr list --limit=5 --state=open', 'gh_pr_list', { limit: 5, state: 'open' }],
  [
    'gh pr list --label=bug --label=urgent --repo=ada/engine',
    'gh_pr_list',
    { label: ['bug', 'urgent'], repo: 'ada/engine' },
  ],
  ['gh pr view 12 --json=title,body', 'gh_pr_view', { number: '12', json: 'title,body' }],
  [
    "gh pr create --base=main --body='- one\n- two' --draft --title='Fix it'",
    'gh_pr_create',
    { title: 'Fix it', body: '- one\n- two', base: 'main', draft: true },
  ],
  [
    'gh pr create --fill --label=docs --reviewer=ada --reviewer=grace',
    'gh_pr_create',
    { fill: true, label: ['docs'], reviewer: ['ada', 'grace'] },
  ],
  ['gh pr checkout 12', 'gh_pr_checkout', { number: '12' }],
  ['gh pr merge 12 --delete-branch --squash', 'gh_pr_merge', { number: '12', squash: true, delete_branch: true }],
  ['gh pr review 12 --approve', 'gh_pr_review', { number: '12', approve: true }],
  ['gh pr diff 12 --color=never', 'gh_pr_diff', { number: '12', color: 'never' }],
  ['gh pr checks 12 --required', 'gh_pr_checks', { number: '12', required: true }],
  ["gh issue create --label=bug --title='It broke'", 'gh_issue_create', { title: 'It broke', label: ['bug'] }],
  ['gh issue list --assignee=@me --search=is:open', 'gh_issue_list', { assignee: '@me', search: 'is:open' }],
  ['gh issue close 3 --comment=done', 'gh_issue_close', { number: '3', comment: 'done' }],
  [
    'gh issue edit 3 --add-label=bug --remove-label=question',
    'gh_issue_edit',
    { number: '3', add_label: ['bug'], remove_label: ['question'] },
  ],
  ['gh repo view ada/engine --branch=main', 'gh_repo_view', { repository: 'ada/engine', branch: 'main' }],
  [
    'gh repo clone ada/engine engine -- --depth=1',
    'gh_repo_clone',
    { repository: 'ada/engine', directory: 'engine', gitflags: ['--depth=1'] },
  ],
  [
    'gh release create v1.0 dist.zip --notes=First --title=v1.0',
    'gh_release_create',
    { tag: 'v1.0', files: ['dist.zip'], notes: 'First', title: 'v1.0' },
  ],
  ['gh run view 99 --log-failed', 'gh_run_view', { run_id: '99', log_failed: true }],
  [
    'gh workflow run ci.yml --raw-field=level=high --ref=main',
    'gh_workflow_run',
    { workflow_id: 'ci.yml', ref: 'main', raw_field: { level: 'high' } },
  ],
  [
    'gh api repos/ada/engine/issues --header=Accept:text/plain --method=POST --raw-field=title=Hi',
    'gh_api',
    { endpoint: 'repos/ada/engine/issues', method: 'POST', raw_field: { title: 'Hi' }, header: ['Accept:text/plain'] },
  ],
  [
    'gh search repos cli shell --language=go --sort=stars',
    'gh_search_repos',
    { query: ['cli', 'shell'], language: 'go', sort: 'stars' },
  ],
  ['gh config get git_protocol', 'gh_config_get', { key: 'git_protocol' }],
];

describe('import of gh', needs('gh'), () => {
  let imported: ImportedBoard;
  beforeAll(async () => {
    const only = new Set(LINES.map(([, tool]) => tool.split('_').slice(1).join(' ')));
    imported = await importBoard(['gh'], { only: [...only, 'repo delete', 'secret set', 'alias set', 'config set'] });
  });
  afterAll(() => imported.close());

  it.each(LINES)('%s', async (line, tool, input) => {
    expect(await imported.lineOf(tool, input)).toBe(line);
  });

  it('guesses what only looks and what destroys', () => {
    const risks = Object.fromEntries(imported.tools.map(({ name, risk }) => [name, risk]));
    expect(risks).toMatchObject({
      gh_pr_list: 'read',
      gh_pr_view: 'read',
      gh_pr_diff: 'read',
      gh_repo_delete: 'destructive',
      gh_pr_merge: 'destructive',
      gh_pr_checkout: undefined,
      // A request is a GET until an argument says otherwise.
      gh_api: 'read',
    });
    const risky = (tool: string): string[] | undefined =>
      imported.tools
        .find(({ name }) => name === tool)
        ?.args?.filter(({ risk }) => risk === 'destructive')
        .map(({ name }) => name);
    expect(risky('gh_api')).toEqual(['field', 'input', 'raw_field']);
    expect(risky('gh_pr_list')).toEqual([]);
  });

  it('asks on a new board before it speaks in public, changes what others use or shows a token', async () => {
    const unasked: RootedCall[] = [
      ['gh_pr_list', {}],
      ['gh_pr_checkout', { number: '7' }],
      ['gh_api', { endpoint: 'user' }],
      ['gh_api', { endpoint: 'user', method: 'HEAD' }],
      ['gh_config_get', { key: 'git_protocol' }],
    ];
    const asked: RootedCall[] = [
      ['gh_issue_create', { title: 'x', body: 'y' }],
      ['gh_api', { endpoint: 'user/repos', method: 'DELETE' }],
      ['gh_api', { endpoint: 'user/repos', method: 'get,delete' }],
      ['gh_api', { endpoint: 'graphql', raw_field: { query: 'x' } }],
      ['gh_config_get', { key: 'oauth_token' }],
      ['gh_config_set', { key: 'pager', value: 'sh' }],
      ['gh_secret_set', { secret_name: 'X', body: 'y' }],
      ['gh_alias_set', { alias: 'x', expansion: '!sh' }],
    ];
    expect(await imported.unasked([...unasked, ...asked])).toEqual(unasked);
  });

  it('has listed values as enums, and examples of the help pages', () => {
    const list = imported.tools.find(({ name }) => name === 'gh_issue_list');
    const state = list?.args?.find(({ name }) => name === 'state');
    expect(state?.enum).toEqual(['open', 'closed', 'all']);
    expect(list?.examples?.map(({ input }) => input)).toContainEqual({ label: ['bug', 'help wanted'] });
  });

  it('runs for real what needs no network', async () => {
    expect(await imported.board.call('gh_config_get', { key: 'git_protocol' })).toMatchObject({
      ok: true,
      text: expect.stringMatching(/https|ssh/),
    });
  });
});
