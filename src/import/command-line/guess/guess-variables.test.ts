import { expect, it } from 'vitest';
import { emptyPage } from '../command-page.ts';
import { parseHelp } from '../help/parse-help.ts';
import { parseMan } from '../man/parse-man.ts';
import { guessVariables } from './guess-variables.ts';

const HELP = `Usage: ops [OPTIONS]

Look after things

Options:
  --where <DIR>     Where things are [env: OPS_WHERE=]
  --level <N>       How much (env OPS_LEVEL)
  --as <NAME>       As whom; default: $OPSACCOUNT or the OPS_USER environment variable
  --pager <PAGER>   A program [env: OPS_PAGER]
  --home <DIR>      Default: $HOME/ops
  --hook <CMD>      Run with the REMOTE_ADDR environment variable; see the $SOME_OTHER_VARIABLE environment variable

Environment:
  OPS_TOKEN   the login
  EDITOR      for notes

Examples:
  ops --where $SOME_PLACE/$OTHER_PLACE
`;

it('passes variables that the help names, but no editors and none of an example', () => {
  const page = parseHelp(HELP, ['ops']);
  expect(guessVariables(page, page)).toEqual(['OPSACCOUNT', 'OPS_LEVEL', 'OPS_TOKEN', 'OPS_USER', 'OPS_WHERE']);
});

it("passes variables of any name that a user's script mentions", () => {
  const help = 'Usage: release.py\n\nUploads a build.\n\nThe login is in the REGISTRY_LOGIN environment variable.\n';
  const page = parseHelp(help, ['./release.py']);
  expect(guessVariables(page, page)).toContain('REGISTRY_LOGIN');
});

it('passes variables from the section of a manual page, also to subcommands', () => {
  const source =
    '.TH OPS 1\n.SH NAME\nops \\- look\n.SH ENVIRONMENT\n.TP\n.B OPS_HOST\nWhere.\n.TP\nOPS_TRACE\nNoise.\n';
  const root = parseMan(source, ['ops']);
  expect(guessVariables(emptyPage(['ops', 'list']), root)).toEqual(['OPS_HOST']);
});

it('reads names that DocBook writes as paragraphs, without those that affect neither connection nor identity', () => {
  const entry = (name: string): string => `.PP\n\\fB${name}\\fR\n.RS 4\nWhat it is\\&.\n.RE\n`;
  const names = ['GIT_INDEX_FILE', 'GIT_AUTHOR_NAME', 'GIT_SSH\\fR, \\fBGIT_SSH_COMMAND', 'GIT_EDITOR', 'GIT_TRACE'];
  const files = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_COUNT', 'GIT_SSL_CAINFO'];
  const section = [...names, ...files].map(entry).join('');
  const root = parseMan(`.TH GIT 1\n.SH NAME\ngit \\- it\n.SH "ENVIRONMENT VARIABLES"\n.SS "All"\n${section}`, ['git']);
  const passed = guessVariables(emptyPage(['git', 'commit']), root);
  // Variables with the location of certificates are passed to every command.
  const own = ['GIT_AUTHOR_NAME', 'GIT_CONFIG_GLOBAL', 'GIT_SSH', 'GIT_SSH_COMMAND'];
  expect(passed).toEqual([...own, '*_PROXY', '*_proxy']);
});

it('adds known variables of a program, and proxies for network programs', () => {
  const of = (program: string, summary = '', packed: string[] = []): string[] => {
    const page = { ...emptyPage([program]), summary, variables: ['HTTPS_PROXY', 'AWS_PROFILE'] };
    return guessVariables(page, page, packed);
  };
  const proxies = ['*_PROXY', '*_proxy'];
  expect(of('/usr/bin/aws')).toEqual(['AWS_*', ...proxies]);
  expect(of('ops', 'Talk to a server')).toEqual(['AWS_PROFILE', ...proxies]);
  expect(of('ops', 'Sort lines')).toEqual(['AWS_PROFILE', 'HTTPS_PROXY']);
  expect(of('kubectl', '', ['KUBECONFIG'])).toEqual(['AWS_PROFILE', 'KUBECONFIG', ...proxies]);
  expect(guessVariables(emptyPage(['constructor']), emptyPage(['constructor']))).toEqual([]);
});
