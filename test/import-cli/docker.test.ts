import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importBoard, type ImportedBoard, type RootedCall } from './import-board.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

type Line = readonly [line: string, tool: string, input: Record<string, unknown>];

const LINES: readonly Line[] = [
  [
    'docker run --detach --name=web --publish=8080:80 nginx',
    'docker_run',
    { image: 'nginx', detach: true, name: 'web', publish: ['8080:80'] },
  ],
  [
    "docker run --env=A=1 --env=B=2 --rm alpine sh -c 'echo hi'",
    'docker_run',
    { image: 'alpine', rm: true, env: ['A=1', 'B=2'], command: ['sh', '-c', 'echo hi'] },
  ],
  [
    'docker run --cpus=1.5 --memory=512m --restart=always --volume=data:/data redis:7',
    'docker_run',
    { image: 'redis:7', cpus: 1.5, memory: '512m', restart: 'always', volume: ['data:/data'] },
  ],
  [
    'docker run --mount=type=tmpfs,target=/tmp --network=backend --read-only --user=1000:1000 app serve --verbose',
    'docker_run',
    {
      image: 'app',
      network: ['backend'],
      mount: ['type=tmpfs,target=/tmp'],
      read_only: true,
      user: '1000:1000',
      command: ['serve', '--verbose'],
    },
  ],
  ['docker exec web ls -la /etc', 'docker_exec', { container: 'web', command: ['ls', '-la', '/etc'] }],
  [
    'docker exec --env=X=1 --user=root --workdir=/srv web env',
    'docker_exec',
    { container: 'web', env: ['X=1'], user: 'root', workdir: '/srv', command: ['env'] },
  ],
  [
    "docker ps --all --filter=status=exited --filter=name=web --format='{{.ID}}'",
    'docker_ps',
    { all: true, filter: ['status=exited', 'name=web'], format: '{{.ID}}' },
  ],
  ['docker ps --last=5 --no-trunc --quiet', 'docker_ps', { last: 5, no_trunc: true, quiet: true }],
  ['docker --context=lab ps --all', 'docker_ps', { context: 'lab', all: true }],
  [
    'docker build --build-arg=V=1 --file=Dockerfile.prod --no-cache --tag=app:1 --tag=app:latest .',
    'docker_build',
    { path: '.', tag: ['app:1', 'app:latest'], build_arg: ['V=1'], file: 'Dockerfile.prod', no_cache: true },
  ],
  [
    'docker logs --since=10m --tail=100 --timestamps web',
    'docker_logs',
    { container: 'web', since: '10m', tail: '100', timestamps: true },
  ],
  ['docker cp ./hosts web:/etc/hosts', 'docker_cp', { src_path: './hosts', dest_path: 'web:/etc/hosts' }],
  ['docker cp web:/etc/hosts ./hosts', 'docker_cp', { src_path: 'web:/etc/hosts', dest_path: './hosts' }],
  [
    "docker inspect --format='{{.State.Status}}' web db",
    'docker_inspect',
    { name: ['web', 'db'], format: '{{.State.Status}}' },
  ],
  ['docker rm --force --volumes a b', 'docker_rm', { container: ['a', 'b'], force: true, volumes: true }],
  [
    'docker tag app:1 registry.local/app:1',
    'docker_tag',
    { source_image: 'app:1', target_image: 'registry.local/app:1' },
  ],
  ['docker images --filter=dangling=true nginx', 'docker_images', { repository: 'nginx', filter: ['dangling=true'] }],
  [
    'docker network create --driver=bridge --subnet=10.0.0.0/24 backend',
    'docker_network_create',
    { network: 'backend', driver: 'bridge', subnet: ['10.0.0.0/24'] },
  ],
  [
    'docker network connect --alias=db backend web',
    'docker_network_connect',
    { network: 'backend', container: 'web', alias: ['db'] },
  ],
  [
    'docker volume create --label=a=b --opt=type=tmpfs data',
    'docker_volume_create',
    { volume: 'data', label: ['a=b'], opt: { type: 'tmpfs' } },
  ],
  [
    'docker container prune --filter=until=24h --force',
    'docker_container_prune',
    { force: true, filter: ['until=24h'] },
  ],
  ['docker kill --signal=HUP web', 'docker_kill', { container: ['web'], signal: 'HUP' }],
  ['docker context ls --quiet', 'docker_context_ls', { quiet: true }],
];

describe('import of docker', needs('docker'), () => {
  let imported: ImportedBoard;
  beforeAll(async () => {
    const only = new Set(LINES.map(([, tool]) => tool.split('_').slice(1).join(' ')));
    imported = await importBoard(['docker'], { only: [...only] });
  });
  afterAll(() => imported.close());

  it('says what is meant by a name that it does not have', async () => {
    const { text } = await imported.board.call('docker_run', { image: 'alpine', cmd: ['ls'] });
    expect(text).toContain('- cmd: is not a known argument. Did you mean "command"?\n');
  });

  it.each(LINES)('%s', async (line, tool, input) => {
    expect(await imported.lineOf(tool, input)).toBe(line);
  });

  it('guesses what only looks and what destroys', () => {
    const risks = Object.fromEntries(imported.tools.map(({ name, risk }) => [name, risk]));
    expect(risks).toMatchObject({
      docker_ps: 'read',
      docker_logs: 'read',
      docker_inspect: 'read',
      docker_context_ls: 'read',
      docker_rm: 'destructive',
      docker_container_prune: 'destructive',
      docker_run: 'destructive',
      docker_exec: 'destructive',
      docker_cp: undefined,
    });
    expect(imported.guesses.get('docker_rm')).toBe('rm');
  });

  it('holds what is of this machine to the roots of a policy, and lets pass what is not', async () => {
    const allowed: RootedCall[] = [
      ['docker_cp', { src_path: 'web:/etc/passwd', dest_path: './x' }],
      [
        'docker_run',
        { image: 'a', volume: ['data:/x', './sub:/y:ro'], mount: ['type=volume,src=data,dst=/x'], workdir: '/srv' },
      ],
      ['docker_build', { path: 'https://example.com/x.git' }],
    ];
    const outside: RootedCall[] = [
      ['docker_cp', { src_path: 'web:/x', dest_path: '/etc/x' }],
      ['docker_cp', { src_path: '/etc/passwd:x', dest_path: 'web:/x' }],
      ['docker_run', { image: 'a', volume: ['/etc:/x'] }],
      ['docker_run', { image: 'a', mount: ['type=bind,src=/,dst=/host'] }],
      ['docker_build', { path: '..' }],
    ];
    expect(await imported.refused([...allowed, ...outside])).toEqual(outside);
  });

  it('refuses a call without the image, and a value that is not listed', async () => {
    const { board } = imported;
    expect(await board.call('docker_run', {})).toMatchObject({ error: { code: 'invalid_arguments', field: 'image' } });
    expect(await board.call('docker_exec', { container: 'web' })).toMatchObject({
      error: { code: 'invalid_arguments', field: 'command' },
    });
  });

  it('runs for real what needs no daemon', async () => {
    expect(await imported.board.call('docker_context_ls', { quiet: true })).toMatchObject({
      ok: true,
      text: expect.stringContaining('default'),
    });
  });

  it('says which global options were left out', () => {
    expect(imported.notes.join('\n')).toMatch(
      /^Options of docker for all subcommands .*--tls.*pegboard import cli docker --global \w/m,
    );
  });
});
