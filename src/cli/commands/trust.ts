import { serversIn } from '../../features/servers/server-sections.ts';
import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { loadConfig } from '../../load/load-config.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { isPlainObject } from '../../tool/json.ts';
import { findConfig } from '../shared/board/find-config.ts';
import { readTrusted, setTrust } from '../shared/board/trust.ts';
import { redactorOf } from '../shared/board/use-board.ts';
import type { CliContext } from '../shared/cli-context.ts';
import { defineCommand, FILE_OPTION, FILES_ARGUMENT, flag } from '../shared/command.ts';
import { UsageError } from '../shared/usage-error.ts';
import { alignColumns, toCell } from '../shared/print/columns.ts';

export const trust = defineCommand({
  name: 'trust',
  description:
    'Trusts the folder of a config: read-only commands and shell completion may then resolve its secrets and run its plugins and scripts. Shows what those are. The list of trusted folders is stored in your home folder, never in the folder itself.',
  arguments: [FILES_ARGUMENT],
  options: {
    ...FILE_OPTION,
    remove: flag('Stop trusting the folder'),
    list: flag('List the folders that you trust'),
  },
  examples: [
    ['pegboard trust', 'after you reviewed the files of this folder'],
    ['pegboard trust --remove', 'stop trusting this folder'],
    ['pegboard trust --list', 'list all trusted folders'],
  ],
  async run({ values, positionals, context }) {
    const { cwd, env } = context;
    const given = [...positionals, ...values.file];
    if (values.list) {
      if (values.remove || given.length > 0) throw new UsageError('--list takes no other options.', 'trust');
      const folders = [...readTrusted(env)].toSorted();
      return { data: { folders }, view: folders.map(toCell) };
    }
    const files = findConfig(given, context);
    const { files: loaded } = await loadConfig(files, { cwd, env, mode: 'look' });
    // Texts of a config may be made to look like something else.
    const runs = redactorOf({ files: loaded }).data(loaded.flatMap((file) => listRuns(file, context)));
    const changed = setTrust(files, !values.remove, context);
    const verb = values.remove ? 'No longer trusted' : 'Trusted';
    const folders = changed.map((folder) => (folder === realpathSync(cwd) ? 'this folder' : toCell(folder))).join(', ');
    const outcome =
      changed.length > 0
        ? `${verb}: ${folders}`
        : values.remove
          ? 'It was not trusted before.'
          : 'It was already trusted.';
    return {
      data: { trusted: !values.remove, changed, runs: runs.map(([what, name]) => ({ what, name })) },
      view: [...(values.remove ? [] : alignColumns(runs.map((row) => row.map(toCell)))), outcome],
    };
  },
});

/** Lists what opening the board of a file runs: plugins, scripts, commands for secrets, servers. */
function listRuns(file: LoadedFile, { cwd }: CliContext): [string, string][] {
  const scripts = file.entries.filter(({ kind }) => kind.runsCode);
  return [
    ...file.plugins.map(({ name }): [string, string] => ['plugin', name]),
    ...scripts.map(({ settings }): [string, string] => ['script', relative(cwd, String(Object(settings).file))]),
    ...file.secretSources.map(([name, source]): [string, string] => ['secret', `${name}: ${source}`]),
    ...Object.entries(serversIn(file)).map(([name, server]): [string, string] => ['server', describe(name, server)]),
  ];
}

function describe(name: string, server: unknown): string {
  const { command, args, url }: Readonly<Record<string, unknown>> = isPlainObject(server) ? server : {};
  const words = command === undefined ? [url] : [command, ...(Array.isArray(args) ? args : [])];
  return `${name}: ${words.map(String).join(' ')}`;
}
