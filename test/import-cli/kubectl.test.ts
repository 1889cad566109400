import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importBoard, type ImportedBoard, type RootedCall } from './import-board.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

type Line = readonly [line: string, tool: string, input: Record<string, unknown>];

const LINES: readonly Line[] = [
  ['kubectl cp shop/web-0:/tmp/x ./x', 'kubectl_cp', { file_spec_src: 'shop/web-0:/tmp/x', file_spec_dest: './x' }],
  [
    'kubectl get --output=wide --namespace=kube-system pods',
    'kubectl_get',
    { type: 'pods', output: 'wide', namespace: 'kube-system' },
  ],
  [
    'kubectl get --output=json pod web-1 web-2',
    'kubectl_get',
    { type: 'pod', name: ['web-1', 'web-2'], output: 'json' },
  ],
  [
    'kubectl get --all-namespaces --selector=app=web deployments',
    'kubectl_get',
    { type: 'deployments', all_namespaces: true, selector: 'app=web' },
  ],
  ['kubectl get --filename=pod.yaml', 'kubectl_get', { filename: ['pod.yaml'] }],
  ['kubectl get --server-print=false nodes', 'kubectl_get', { type: 'nodes', server_print: false }],
  ['kubectl describe node n1', 'kubectl_describe', { type: 'node', name: 'n1' }],
  [
    'kubectl logs --container=app --since=1h --tail=50 web-1',
    'kubectl_logs',
    { pod: 'web-1', container: 'app', tail: 50, since: '1h' },
  ],
  ['kubectl logs --previous --selector=app=web', 'kubectl_logs', { selector: 'app=web', previous: true }],
  [
    'kubectl exec web-1 --container=app -- ls -la',
    'kubectl_exec',
    { pod: 'web-1', container: 'app', command: ['ls', '-la'] },
  ],
  [
    'kubectl apply --dry-run=server --filename=a.yaml --filename=b.yaml',
    'kubectl_apply',
    { filename: ['a.yaml', 'b.yaml'], dry_run: 'server' },
  ],
  [
    'kubectl delete --force --grace-period=0 pod a b',
    'kubectl_delete',
    { type: 'pod', name: ['a', 'b'], grace_period: 0, force: true },
  ],
  [
    'kubectl create deployment web --image=nginx --replicas=3',
    'kubectl_create_deployment',
    { name: 'web', image: ['nginx'], replicas: 3 },
  ],
  [
    'kubectl create configmap settings --from-literal=a=1 --from-literal=b=2',
    'kubectl_create_configmap',
    { name: 'settings', from_literal: ['a=1', 'b=2'] },
  ],
  [
    'kubectl run tmp --image=busybox --restart=Never -- date',
    'kubectl_run',
    { name: 'tmp', image: 'busybox', restart: 'Never', command: ['date'] },
  ],
  ['kubectl scale --replicas=5 deployment/web', 'kubectl_scale', { type: 'deployment/web', replicas: 5 }],
  [
    'kubectl label --overwrite pods foo unhealthy=true',
    'kubectl_label',
    { type: 'pods', name: 'foo', key_val: ['unhealthy=true'], overwrite: true },
  ],
  [
    'kubectl rollout status deployment/web --timeout=60s',
    'kubectl_rollout_status',
    { type: 'deployment/web', timeout: '60s' },
  ],
  ['kubectl rollout restart --filename=a.yaml', 'kubectl_rollout_restart', { filename: ['a.yaml'] }],
  ['kubectl rollout restart deployment web', 'kubectl_rollout_restart', { type: 'deployment', name: 'web' }],
  [
    'kubectl set env deployment web A=1 B-',
    'kubectl_set_env',
    { type: 'deployment', name: 'web', key_val: ['A=1', 'B-'] },
  ],
  ['kubectl drain --selector=disk=old', 'kubectl_drain', { selector: 'disk=old' }],
  [
    'kubectl set image deployment/web nginx=nginx:1.27',
    'kubectl_set_image',
    { type: 'deployment/web', container_name_image: ['nginx=nginx:1.27'] },
  ],
  ['kubectl config use-context lab', 'kubectl_config_use-context', { context_name: 'lab' }],
  [
    'kubectl port-forward pod/web 8080:80 9090:90',
    'kubectl_port-forward',
    { type_name: 'pod/web', remote_port: ['8080:80', '9090:90'] },
  ],
  [
    "kubectl get --output='jsonpath={.items[0].metadata.name}' pods",
    'kubectl_get',
    { type: 'pods', output: 'jsonpath={.items[0].metadata.name}' },
  ],
  [
    "kubectl apply --filename=a.yaml --output='jsonpath={.metadata.name}'",
    'kubectl_apply',
    { filename: ['a.yaml'], output: 'jsonpath={.metadata.name}' },
  ],
  ['kubectl version --client', 'kubectl_version', { client: true }],
];

/** Further command lines to try. */
const MORE = [
  'wait',
  'rollout *',
  'taint',
  'config set-cluster',
  'config set-credentials',
  'expose',
  'certificate approve',
  'proxy',
  'kustomize',
];

describe('import of kubectl', needs('kubectl'), () => {
  let imported: ImportedBoard;
  beforeAll(async () => {
    const only = new Set(LINES.map(([, tool]) => tool.split('_').slice(1).join(' ')));
    imported = await importBoard(['kubectl'], { only: [...only, 'top *', ...MORE] });
  });
  afterAll(() => imported.close());

  it('holds what is of this machine to the roots of a policy, and lets pass what is not', async () => {
    const allowed: RootedCall[] = [
      ['kubectl_cp', { file_spec_src: 'shop/web-1:/tmp/x', file_spec_dest: './x' }],
      ['kubectl_apply', { filename: ['https://example.com/x.yaml', 'x.yaml'] }],
      ['kubectl_get', { raw: '/api/v1/namespaces' }],
    ];
    const outside: RootedCall[] = [
      ['kubectl_cp', { file_spec_src: '/etc/passwd', file_spec_dest: 'web-1:/tmp/x' }],
      ['kubectl_apply', { filename: ['/etc/x.yaml'] }],
      ['kubectl_apply', { filename: ['file:///etc/x.yaml'] }],
    ];
    expect(await imported.refused([...allowed, ...outside])).toEqual(outside);
  });

  it('says what is meant by a name that it does not have', async () => {
    const { text } = await imported.board.call('kubectl_get', { resource: 'pods' });
    expect(text).toContain('- resource: is not a known argument. The positional arguments are: type, name.\n');
  });

  it.each(LINES)('%s', async (line, tool, input) => {
    expect(await imported.lineOf(tool, input)).toBe(line);
  });

  it('guesses what only looks and what destroys', () => {
    const risks = Object.fromEntries(imported.tools.map(({ name, risk }) => [name, risk]));
    expect(risks).toMatchObject({
      kubectl_get: 'read',
      kubectl_describe: 'read',
      kubectl_logs: 'read',
      kubectl_top_pod: 'read',
      kubectl_delete: 'destructive',
      kubectl_apply: 'destructive',
      kubectl_exec: 'destructive',
    });
  });

  it('asks on a new board about what reaches others, shows secrets or runs a program, and about nothing that looks', async () => {
    const unasked: RootedCall[] = [
      ['kubectl_get', { type: 'pods,services', name: [] }],
      ['kubectl_get', { type: 'pods', name: ['secret-rotator'] }],
      ['kubectl_get', { raw: '/api/v1/pods' }],
      ['kubectl_describe', { type: 'node', name: 'n1' }],
      ['kubectl_logs', { pod: 'web-1' }],
      ['kubectl_cp', { file_spec_src: 'shop/web-0:/tmp/x', file_spec_dest: './x' }],
      ['kubectl_config_use-context', { context_name: 'lab' }],
      ['kubectl_kustomize', { dir: 'base' }],
    ];
    // Debian's manual pages have a blank in the path of an example, so that a name seems to be a list.
    const named = (wanted: string): string | string[] => {
      const args = imported.tools.find(({ name }) => name === wanted)?.args ?? [];
      return args.find(({ name }) => name === 'name')?.type === 'array' ? ['x'] : 'x';
    };
    const setCluster = { name: named('kubectl_config_set-cluster'), server: 'https://1.2.3.4' };
    const asked: RootedCall[] = [
      ['kubectl_get', { type: 'secret' }],
      ['kubectl_get', { type: 'pods,Secrets' }],
      ['kubectl_get', { type: 'pod/a', name: ['secret/b'] }],
      ['kubectl_get', { name: ['secret', 'login'] }],
      ['kubectl_get', { raw: '/api/v1/namespaces/x/secrets' }],
      ['kubectl_get', { raw: '/api/v1/namespaces/x/%73ecrets' }],
      ['kubectl_wait', { type: 'secret/login', for: ['create'], output: 'yaml' }],
      ['kubectl_get', { filename: ['secret.yaml'] }],
      ['kubectl_describe', { type: 'secrets/login' }],
      ['kubectl_cp', { file_spec_src: './x', file_spec_dest: 'shop/web-0:/tmp/x' }],
      ['kubectl_cp', { file_spec_src: 'web-0:/x', file_spec_dest: './x', kubeconfig: 'mine' }],
      ['kubectl_label', { type: 'pods', name: 'foo', key_val: ['a=b'] }],
      ['kubectl_expose', { type: 'pod', name: 'web', port: 80 }],
      ['kubectl_certificate_approve', { name: 'csr' }],
      ['kubectl_proxy', { address: '0.0.0.0' }],
      ['kubectl_port-forward', { type_name: 'pod/web', remote_port: ['80'], address: ['0.0.0.0'] }],
      ['kubectl_config_set-cluster', setCluster],
      ['kubectl_config_set-credentials', { name: named('kubectl_config_set-credentials'), exec_command: 'sh' }],
      ['kubectl_kustomize', { dir: 'base', enable_alpha_plugins: true }],
    ];
    // Older versions have no plugins of kustomize, by their own help.
    const hasPlugins = execFileSync('kubectl', ['kustomize', '--help'], { encoding: 'utf8' }).includes('-plugins');
    const known = asked.filter(([name]) => hasPlugins || name !== 'kubectl_kustomize');
    expect(await imported.unasked([...unasked, ...known])).toEqual(unasked);
    // An address is no path that roots could refuse.
    expect(await imported.refused([['kubectl_config_set-cluster', setCluster]])).toEqual([]);
  });

  it('leaves out of what reads the file of settings that can name programs, and takes it when it is asked for', async () => {
    const hasFile = (tools: ImportedBoard['tools']): unknown =>
      tools.find(({ name }) => name === 'kubectl_version')?.args?.find(({ name }) => name === 'kubeconfig')?.risk;
    expect(hasFile(imported.tools)).toBeUndefined();
    expect(imported.notes.join('\n')).toMatch(
      /Left out of read-only tools, .*--kubeconfig of kubectl_\w+ and \d+ more/,
    );
    const named = await importBoard(['kubectl'], { only: ['version'], globals: ['kubeconfig'] });
    await named.close();
    expect(hasFile(named.tools)).toBe('destructive');
  });

  it('takes listed values, needs what is needed, and no more', async () => {
    const refused = async (tool: string, input: unknown): Promise<string | undefined> => {
      const { error } = await imported.board.call(tool, input);
      return error?.code === 'invalid_arguments' ? error.field : undefined;
    };
    expect(await refused('kubectl_apply', { filename: ['a.yaml'], dry_run: 'perhaps' })).toBe('dry_run');
    expect(await refused('kubectl_exec', { pod: 'web-1' })).toBe('command');
    expect(await refused('kubectl_create_deployment', { name: 'web' })).toBe('image');
    expect(await refused('kubectl_scale', { type: 'deployment/web' })).toBe('replicas');
  });

  it('calls the words for a resource alike, and needs none where a file or a selector may say it', async () => {
    const toolOf = (tool: string): ImportedBoard['tools'][number] | undefined =>
      imported.tools.find(({ name }) => name === tool);
    const neededOf = (tool: string): (readonly [string, boolean])[] =>
      (toolOf(tool)?.args ?? []).flatMap(({ name, positional, required }) =>
        positional === true ? [[name, required === true] as const] : [],
      );
    const typed = ['restart', 'pause', 'resume', 'status', 'undo', 'history'].map((verb) => `kubectl_rollout_${verb}`);
    for (const tool of typed) {
      expect([tool, neededOf(tool), toolOf(tool)?.one_of]).toEqual([
        tool,
        [
          ['type', false],
          ['name', false],
        ],
        [['type', 'filename', 'kustomize']],
      ]);
    }
    expect(neededOf('kubectl_wait').map(([name]) => name)).toEqual(['type', 'name']);
    expect(toolOf('kubectl_drain')?.one_of).toEqual([['node', 'selector']]);
    expect(toolOf('kubectl_exec')?.one_of).toEqual([['pod', 'filename']]);
    // The name that a file replaces is no required argument.
    expect(neededOf('kubectl_run')).toEqual([['name', true]]);
    // An example gives a taint and no name.
    expect(neededOf('kubectl_taint')).toEqual([
      ['node', true],
      ['name', false],
      ['key_val_taint_effect', true],
    ]);
    expect(toolOf('kubectl_taint')?.one_of).toEqual([['name', 'all', 'selector']]);
    const { error } = await imported.board.call('kubectl_rollout_restart', {});
    expect(error?.code).toBe('invalid_arguments');
    expect(error?.message).toContain('type');
    expect(error?.message).toContain('filename');
  });

  it('describes words by its usage and examples', () => {
    const wordsOf = (tool: string): Record<string, string | undefined> => {
      const args = imported.tools.find(({ name }) => name === tool)?.args ?? [];
      return Object.fromEntries(args.flatMap((arg) => (arg.positional ? [[arg.name, arg.description]] : [])));
    };
    expect(wordsOf('kubectl_get')).toEqual({
      type: expect.stringMatching(/^TYPE\[\.VERSION\]\[\.GROUP\] or TYPE\S*\/NAME, such as pods, /),
      name: expect.stringMatching(/^Names of those of that type, such as web/),
    });
    expect(wordsOf('kubectl_delete')['type']).toMatch(/^Such as pod,service; /);
    expect(wordsOf('kubectl_scale')['type']).toMatch(/^Such as rs\/foo, /);
    // Pairs are for the word that is called so.
    expect(wordsOf('kubectl_set_image')).toMatchObject({
      name: 'The name of one of that type',
      container_name_image: 'Such as busybox=busybox, nginx=nginx:1.9.1',
    });
    // The first word of its examples is not always its first argument.
    expect(wordsOf('kubectl_label')['type']).toBe('Such as pods');
  });

  it('writes nothing that validate warns about', () => {
    expect(imported.board.diagnostics.filter(({ severity }) => severity !== 'note')).toEqual([]);
  });

  it('has examples of the help pages that it reproduces', () => {
    const examples = imported.tools.find(({ name }) => name === 'kubectl_get')?.examples ?? [];
    expect(examples.map(({ input }) => input)).toContainEqual({ type: 'pods', output: 'wide' });
  });

  it('runs for real what needs no cluster', async () => {
    expect(await imported.board.call('kubectl_version', { client: true })).toMatchObject({
      ok: true,
      text: expect.stringMatching(/client version/i),
    });
  });
});
