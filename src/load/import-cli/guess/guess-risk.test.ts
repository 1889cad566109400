import { expect, it } from 'vitest';
import { emptyPage } from '../command-page.ts';
import { guessOptionRisk, guessWordRisk } from './guess-option-risk.ts';
import { guessRisk } from './guess-risk.ts';
import { parseOption } from '../help/parse-option.ts';

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
  ['git push', 'Update remote refs', 'destructive from push'],
  ['git stash push', 'Save your local modifications to a new stash entry', 'write'],
  ['docker push', 'Upload an image to a registry', 'destructive from push'],
  ['gh pr merge', 'Merge a pull request on GitHub', 'destructive from merge'],
  ['git merge', 'Join two or more development histories together', 'write'],
  ['gh pr checkout', 'Check out a pull request in git', 'write'],
  ['npm install', 'Install a package', 'destructive from install'],
  ['kubectl scale', 'Set a new size for a deployment', 'destructive from scale'],
  ['kubectl patch', 'Update fields of a resource', 'destructive from patch'],
  ['kubectl set image', 'Update the image of a pod template', 'destructive from set'],
  ['kubectl label', 'Update the labels on a resource', 'write'],
  ['kubectl config set', 'Set an individual value for a cluster', 'write'],
  ['gh auth token', 'Print the auth token gh is configured to use', 'destructive from token'],
  ['aws secretsmanager get-secret-value', 'Retrieves the contents.', 'destructive from get-secret-value'],
  ['kubectl create clusterrolebinding', 'Create a cluster role binding', 'destructive from create'],
  ['npm owner add', 'add: Manage package owners', 'destructive from add'],
  ['npm owner ls', 'ls: Manage package owners', 'read from ls'],
  ['npm token create', 'create: Manage your authentication tokens', 'destructive from create'],
  ['aws sts assume-role', 'Returns a set of temporary security credentials', 'destructive from assume-role'],
  ['aws iam attach-role-policy', 'Attaches the policy to the role', 'destructive from attach-role-policy'],
  ['aws iam list-role-policies', 'Lists the names of the policies', 'read from list-role-policies'],
  ['aws s3 mv', 'Moves a local file or S3 object to another location', 'destructive from mv'],
  ['git mv', 'Move or rename a file, a directory, or a symlink', 'write'],
  ['git hook run', 'Run git hooks', 'destructive from Run git hooks'],
  ['docker swarm ca', 'Display and rotate the root CA', 'write'],
  ['npm stage reject', 'Reject a staged package, removing it from the registry', 'destructive from removing'],
  ['docker stop', 'Stop one or more running containers', 'destructive from stop'],
  ['systemctl try-reload-or-restart', 'Reload if possible', 'destructive from try-reload-or-restart'],
  ['kubectl exec', 'Execute a command in a container', 'destructive from exec'],
  ['kubectl apply', 'Apply a configuration to a resource by file name', 'destructive from apply'],
  ['git apply', 'Apply a patch to files', 'write'],
  ['npm run', 'Run arbitrary package scripts', 'destructive from Run arbitrary package scripts'],
  ['npm publish', 'Publish a package', 'destructive from publish'],
  ['curl', 'transfer a URL', 'destructive from curl'],
  ['jq', 'Command-line JSON processor', 'read from jq'],
  // The text alone says it.
  ['git merge-base', 'Find as good common ancestors as possible for a merge', 'read from Find'],
  ['git for-each-ref', 'Output information on each ref', 'read from Output'],
  ['systemctl is-system-running', 'Check whether system is fully running', 'read from is-system-running'],
  // What is said about all forms says nothing about this one.
  ['npm dist-tag ls', 'ls: Modify package distribution tags', 'read from ls'],
  ['npm access list packages', 'list packages: Set access level', 'read from list'],
  ['npm dist-tag add', 'add: Modify package distribution tags', 'write'],
  // The verb alone is no proof.
  ['terraform get', 'Install or upgrade modules', 'write'],
  ['tool list', 'Show and update the list', 'write'],
  ['tool get', '', 'write'],
  ['get', 'Show things', 'write'],
] as const)('takes %s (%s) for %s', ([command, summary, expected]) => {
  expect(guess(command, summary)).toBe(expected);
});

it('looks at the options', () => {
  expect(guess('npm ci', 'Clean install a project', '--ignore-scripts')).toBe('destructive from --ignore-scripts');
  expect(guess('git difftool', 'Show changes using common diff tools', '--extcmd <command>')).toBe('write');
  expect(guess('terraform apply', 'Change things', '-destroy')).toBe('destructive from apply -destroy');
  expect(guess('terraform plan', 'Tell what would change', '-destroy')).toBe('write');
  expect(guess('tool diff', 'Show differences', '--write')).toBe('write');
  const words = [
    { name: 'COMMAND', isRequired: true, isRepeated: true, tail: true, choices: [], description: '' },
  ] as const;
  expect(guessRisk({ ...emptyPage(['docker', 'run']), positionals: words })).toMatchObject({ from: 'COMMAND' });
});

it('says of an option of a subcommand what it destroys, and lets the rest be', () => {
  const options: [string, string][] = [
    ['-d, --delete', 'delete fully merged branch'],
    ['-D', 'delete branch (even if not merged)'],
    ['-f, --force', 'force creation'],
    ['-m, --move', 'rename a branch'],
    ['--sort <key>', 'field name to sort on'],
  ];
  const destroying = { '--delete': 'destructive', '-D': 'destructive', '--force': 'destructive' };
  expect(risksOf('tool branch', 'Create or delete branches', ...options)).toEqual({
    ...destroying,
    '': undefined,
    '--move': undefined,
    '--sort': undefined,
  });
  // Without arguments it lists: what does not only say what is listed changes something.
  expect(
    risksOf('tool branch', 'List, create, or delete branches', ...options, ['--list', 'list branch names']),
  ).toEqual({
    ...destroying,
    '': 'read',
    '--move': 'write',
    '--sort': undefined,
    '--list': undefined,
  });
  // What only reads, or destroys anyway, has no such options.
  expect(risksOf('tool branch', 'List branches', ['--list', '']), 'no other verb').toMatchObject({ '': 'read' });
});

function risksOf(command: string, summary: string, ...written: [string, string][]): Record<string, string | undefined> {
  const options = written.flatMap(([flags, description]) => parseOption(flags, description) ?? []);
  const found = guessRisk({ ...emptyPage(command.split(' ')), summary, options });
  const risks = options.map(
    (option) =>
      [option.flags[0], guessOptionRisk(option, found, { command: command.split(' '), about: summary })?.risk] as const,
  );
  return { '': found?.risk, ...Object.fromEntries(risks) };
}

it('asks for options whose value is a program or a setting that may be one, in commands that write', () => {
  const none = { '': undefined };
  expect(
    risksOf(
      'git clone',
      'Clone a repository',
      ['-u, --upload-pack <path>', 'path to git-upload-pack'],
      ['-c, --config <key=value>', 'set config inside the new repository'],
    ),
  ).toEqual({ ...none, '--upload-pack': 'destructive', '--config': 'destructive' });
  expect(risksOf('git commit', 'Record changes', ['--template <file>', 'use a template'])).toMatchObject({
    '--template': undefined,
  });
  expect(
    risksOf(
      'tool pack',
      'Pack files',
      ['-I, --filter-with=PROG', 'filter through PROG'],
      ['--after <text>', 'Run this shell command at the end'],
      ['--viewer <name>', 'specify a custom command for viewing diffs'],
      ['--rsh-command=COMMAND', 'use remote COMMAND instead of rsh'],
      ['--hook <name>', 'Do not run the command of this name'],
      ['--name <name>', 'Name of the pack'],
      ['--exec', 'keep executables'],
    ),
  ).toEqual({
    ...none,
    '--filter-with': 'destructive',
    '--after': 'destructive',
    '--viewer': 'destructive',
    '--rsh-command': 'destructive',
    '--hook': undefined,
    '--name': undefined,
    '--exec': undefined,
  });
  // `docker exec` asks about every call already.
  expect(risksOf('docker exec', 'Execute a command', ['--detach-cmd <command>', ''])).toEqual({
    '': 'destructive',
    '--detach-cmd': undefined,
  });
  const value = { name: 'value', isRequired: false, isRepeated: false, choices: [], description: '' };
  const config = { command: ['git', 'config'], summary: 'Get and set options' };
  expect(guessWordRisk(value, { ...config, before: 1 })).toEqual({ risk: 'destructive', from: 'value' });
  expect(guessWordRisk({ ...value, name: 'name' }, { ...config, before: 0 })).toBeUndefined();
});

it('takes a request for one that reads, until an option sends or stores something', () => {
  expect(
    risksOf(
      'curl',
      'transfer a URL',
      ['-X, --request <method>', 'Specify request method to use'],
      ['-d, --data <data>', 'HTTP POST data'],
      ['-T, --upload-file <file>', 'Transfer local FILE to destination'],
      ['-o, --output <file>', 'Write to file instead of stdout'],
      ['-O, --remote-name', 'Write output to a file named as the remote file'],
      ['-K, --config <file>', 'Read config from a file'],
      ['-G, --get', 'Put the post data in the URL and use GET'],
      ['-H, --header <header>', 'Pass custom header(s) to server'],
      ['-L, --location', 'Follow redirects'],
    ),
  ).toEqual({
    '': 'read',
    '--request': 'destructive',
    '--data': 'destructive',
    '--upload-file': 'destructive',
    '--output': 'destructive',
    '--remote-name': 'destructive',
    '--config': 'destructive',
    '--get': undefined,
    '--header': undefined,
    '--location': undefined,
  });
  // Something that is created with a method is no request.
  const rule: [string, string] = ['--method <method>', 'HTTP method to match'];
  expect(risksOf('cloud rule create', 'Create a rule', rule)).toMatchObject({ '': undefined });
});

it('asks for options that overwrite or reveal something, and not for those that say that they do not', () => {
  expect(
    risksOf('ffmpeg', 'video converter', ['-y', 'Overwrite output files'], ['-n', 'Do not overwrite output files']),
  ).toEqual({ '': undefined, '-y': 'destructive', '-n': undefined });
  const raw: [string, string] = ['--raw', 'Display raw byte data and sensitive data'];
  const hide: [string, string] = ['--brief', 'Do not show secrets'];
  expect(risksOf('kubectl config view', 'Display merged settings', raw, hide)).toEqual({
    '': 'read',
    '--raw': 'destructive',
    '--brief': undefined,
  });
});

it('asks for a word that may be a file where a command puts files back, or a package that it runs', () => {
  const word = { name: 'branch', isRequired: false, isRepeated: false, choices: [], description: '' };
  const checkout = { ...emptyPage(['git', 'checkout']), summary: 'Switch branches or restore working tree files' };
  expect(guessWordRisk(word, checkout)).toMatchObject({ risk: 'destructive' });
  expect(guessWordRisk(word, { ...checkout, summary: 'Switch branches' })).toBeUndefined();
  const init = { ...emptyPage(['npm', 'init']), summary: 'Create a package.json file' };
  expect(guessWordRisk({ ...word, name: 'package-spec' }, init)).toMatchObject({ risk: 'destructive' });
  const fix = { ...word, choices: ['fix', 'signatures'] };
  expect(guessWordRisk(fix, emptyPage(['npm', 'audit']))).toEqual({ risk: 'destructive', from: 'fix' });
});
