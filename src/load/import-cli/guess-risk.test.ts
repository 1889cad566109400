import { expect, it } from 'vitest';
import { emptyPage } from './command-page.ts';
import { guessOptionRisk, guessRisk } from './guess-risk.ts';
import { parseOption } from './help/parse-option.ts';

function guess(command: string, summary: string, ...flags: string[]): string {
  const options = flags.flatMap((flag) => parseOption(flag, '') ?? []);
  const found = guessRisk({ ...emptyPage(command.split(' ')), summary, options });
  return found === undefined ? 'write' : `${found.risk} from ${found.from}`;
}

it.for([
  ['docker ps', 'List containers', 'read from ps'],
  ['kubectl top node', 'Display resource usage of nodes', 'read from top'],
  ['aws ec2 describe-instances', 'Describes the specified instances.', 'read from describe-instances'],
  ['gh pr diff', 'View changes in a pull request', 'read from diff'],
  ['docker container prune', 'Remove all stopped containers', 'destructive from prune'],
  ['kubectl config delete-context', 'Delete the specified context', 'destructive from delete-context'],
  ['rm', 'Remove files', 'destructive from rm'],
  ['git push', 'Update remote refs', 'write'],
  ['docker stop', 'Stop one or more running containers', 'destructive from stop'],
  ['systemctl try-reload-or-restart', 'Reload if possible', 'destructive from try-reload-or-restart'],
  ['kubectl exec', 'Execute a command in a container', 'destructive from exec'],
  ['kubectl apply', 'Apply a configuration to a resource by file name', 'destructive from apply'],
  ['git apply', 'Apply a patch to files', 'write'],
  ['npm run', 'Run arbitrary package scripts', 'destructive from Run arbitrary package scripts'],
  ['npm publish', 'Publish a package', 'destructive from publish'],
  ['curl', 'transfer a URL', 'destructive from curl'],
  ['jq', 'Command-line JSON processor', 'read from jq'],
  // The verb alone is no proof.
  ['terraform get', 'Install or upgrade modules', 'write'],
  ['tool list', 'Show and update the list', 'write'],
  ['tool get', '', 'write'],
  ['get', 'Show things', 'write'],
] as const)('takes %s (%s) for %s', ([command, summary, expected]) => {
  expect(guess(command, summary)).toBe(expected);
});

it('looks at the options', () => {
  expect(guess('git push', 'Update remote refs', '--force')).toBe('destructive from push --force');
  expect(guess('terraform apply', 'Change things', '-destroy')).toBe('destructive from apply -destroy');
  expect(guess('terraform plan', 'Tell what would change', '-destroy')).toBe('write');
  expect(guess('tool diff', 'Show differences', '--write')).toBe('write');
  const overwrite = parseOption('-y', 'Overwrite output files without asking');
  expect(guessRisk({ ...emptyPage(['ffmpeg']), options: overwrite === undefined ? [] : [overwrite] })).toEqual({
    risk: 'destructive',
    from: '-y',
  });
  const words = [
    { name: 'COMMAND', isRequired: true, isRepeated: true, tail: true, choices: [], description: '' },
  ] as const;
  expect(guessRisk({ ...emptyPage(['docker', 'run']), positionals: words })).toMatchObject({ from: 'COMMAND' });
});

it('says of an option of a subcommand what it destroys, and lets the rest be', () => {
  const optionsOf = (...written: [string, string][]) =>
    written.flatMap(([flags, description]) => parseOption(flags, description) ?? []);
  const risksOf = (summary: string, ...written: [string, string][]): Record<string, string | undefined> => {
    const page = { ...emptyPage(['tool', 'branch']), summary, options: optionsOf(...written) };
    const found = guessRisk(page);
    const options = page.options.map((option) => [option.flags[0], guessOptionRisk(option, found)?.risk] as const);
    return { '': found?.risk, ...Object.fromEntries(options) };
  };
  const options: [string, string][] = [
    ['-d, --delete', 'delete fully merged branch'],
    ['-D', 'delete branch (even if not merged)'],
    ['-f, --force', 'force creation'],
    ['-m, --move', 'rename a branch'],
    ['--sort <key>', 'field name to sort on'],
  ];
  const destroying = { '--delete': 'destructive', '-D': 'destructive', '--force': 'destructive' };
  expect(risksOf('Create or delete branches', ...options)).toEqual({
    ...destroying,
    '': undefined,
    '--move': undefined,
    '--sort': undefined,
  });
  // Without arguments it lists: what does not only say what is listed changes something.
  expect(risksOf('List, create, or delete branches', ...options, ['--list', 'list branch names'])).toEqual({
    ...destroying,
    '': 'read',
    '--move': 'write',
    '--sort': undefined,
    '--list': undefined,
  });
  // What only reads, or destroys anyway, has no such options.
  expect(risksOf('List branches', ['--list', '']), 'no other verb').toMatchObject({ '': 'read' });
});
