import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importBoard, type ImportedBoard } from './import-board.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

type Line = readonly [line: string, tool: string, input: Record<string, unknown>];

const LINES: readonly Line[] = [
  ['systemctl list-units', 'systemctl_list-units', {}],
  [
    'systemctl list-units --type=service --state=running',
    'systemctl_list-units',
    { type: ['service'], state: ['running'] },
  ],
  ["systemctl list-units --all 'ssh*'", 'systemctl_list-units', { all: true, unit: ['ssh*'] }],
  ['systemctl list-timers --all', 'systemctl_list-timers', { all: true }],
  ['systemctl list-unit-files --state=enabled', 'systemctl_list-unit-files', { state: ['enabled'] }],
  ['systemctl status --no-pager nginx', 'systemctl_status', { no_pager: true, unit: ['nginx'] }],
  ['systemctl status --lines=50 nginx', 'systemctl_status', { lines: 50, unit: ['nginx'] }],
  ['systemctl show --property=MainPID nginx', 'systemctl_show', { property: ['MainPID'], unit: ['nginx'] }],
  ['systemctl cat nginx.service', 'systemctl_cat', { unit: ['nginx.service'] }],
  ['systemctl is-active --quiet nginx', 'systemctl_is-active', { quiet: true, unit: ['nginx'] }],
  ['systemctl is-enabled nginx', 'systemctl_is-enabled', { unit: ['nginx'] }],
  ['systemctl start nginx redis', 'systemctl_start', { unit: ['nginx', 'redis'] }],
  ['systemctl stop nginx', 'systemctl_stop', { unit: ['nginx'] }],
  ['systemctl restart --no-block nginx', 'systemctl_restart', { no_block: true, unit: ['nginx'] }],
  ['systemctl reload nginx', 'systemctl_reload', { unit: ['nginx'] }],
  ['systemctl enable --now nginx', 'systemctl_enable', { now: true, unit: ['nginx'] }],
  ['systemctl disable --now nginx', 'systemctl_disable', { now: true, unit: ['nginx'] }],
  ['systemctl mask nginx', 'systemctl_mask', { unit: ['nginx'] }],
  ['systemctl kill --signal=SIGHUP nginx', 'systemctl_kill', { signal: 'SIGHUP', unit: ['nginx'] }],
  ['systemctl status --user pipewire', 'systemctl_status', { user: true, unit: ['pipewire'] }],
  [
    'systemctl set-property nginx MemoryMax=1G CPUWeight=50',
    'systemctl_set-property',
    { unit: 'nginx', property_value: ['MemoryMax=1G', 'CPUWeight=50'] },
  ],
  ['systemctl daemon-reload', 'systemctl_daemon-reload', {}],
  ['systemctl set-default multi-user.target', 'systemctl_set-default', { target: 'multi-user.target' }],
  [
    'systemctl add-wants default.target a.service',
    'systemctl_add-wants',
    { target: 'default.target', unit: ['a.service'] },
  ],
];

describe('import of systemctl', needs('systemctl', 'systemctl-manual'), () => {
  let imported: ImportedBoard;
  beforeAll(async () => {
    imported = await importBoard(['systemctl']);
  }, 600_000);
  afterAll(() => imported.close());

  it.each(LINES)('%s', async (line, tool, input) => {
    expect(await imported.lineOf(tool, input)).toBe(line);
  });

  it('wants the words that a verb wants', async () => {
    await expect(imported.lineOf('systemctl_start')).rejects.toThrow('unit: is required');
    expect(await imported.lineOf('systemctl_list-units')).toBe('systemctl list-units');
  });

  it('takes only verbs that look for reading', () => {
    const risks = new Map(imported.tools.map(({ name, risk }) => [name.replace('systemctl_', ''), risk]));
    const looking = ['list-units', 'status', 'show', 'cat', 'is-active', 'is-enabled', 'get-default'];
    expect(looking.filter((verb) => risks.get(verb) !== 'read')).toEqual([]);
    const changing = ['start', 'stop', 'restart', 'mask', 'enable', 'daemon-reload', 'set-default', 'isolate'];
    expect(changing.filter((verb) => risks.get(verb) === 'read')).toEqual([]);
    expect(risks.get('poweroff')).toBe('destructive');
  });
});

describe('import of systemctl from its help alone', needs('systemctl'), () => {
  it('knows verbs, their words and options', async () => {
    const imported = await importBoard(['systemctl'], { manual: [], only: ['enable', 'list-units'] });
    expect(await imported.lineOf('systemctl_enable', { now: true, unit: ['nginx'] })).toBe(
      'systemctl enable --now nginx',
    );
    expect(imported.tools.map(({ name }) => name)).toEqual(['systemctl_list-units', 'systemctl_enable']);
    await imported.close();
  });
});
