import { isAlwaysPassed } from '../../../platform/process/child-environment.ts';
import { commonKnowledge, hasTrait, knownOf } from '../../packs/knowledge.ts';
import type { CommandPage } from '../command-page.ts';

/** How packs pass the addresses of proxies, in both spellings. */
const PROXIES: readonly string[] = ['*_PROXY', '*_proxy'];
const NETWORK_TEXT =
  /\b(?:https?|urls?|registr(?:y|ies)|remote|servers?|download\w*|upload\w*|clusters?|cloud|internet|network|rest|api)\b/i;
const NETWORK_FLAG = /^--?(?:url|server|endpoint(?:-url)?|api-?(?:url|server|endpoint)|proxy|registry)$/;

/** Names of variables that say where a program goes and as whom, whichever of its subcommands runs. */
const SHARED =
  /_(?:AUTHOR|COMMITTER|USER(?:NAME)?|ACCOUNT|EMAIL|TOKEN|API_?KEY|PASSWORD|CREDENTIALS|PROFILE|TENANT|ORG|HOST(?:NAME)?|PORT|SOCKET|SERVER|URL|ADDR(?:ESS)?|ENDPOINT|REGION|CONTEXT|CONFIG|SSH|SSL|TLS|CA|CERT)(?:_|$)/;

/** What the page of any subcommand names after the program and as its identity or connection: `GIT_SSL_KEY` of `git config`. */
export function findSharedVariables(pages: readonly CommandPage[]): string[] {
  return pages.flatMap(({ command: [program = ''], variables = [] }) => {
    const start = `${toProgramName(program)
      .replace(/[.]\w+$/, '')
      .replaceAll('-', '_')
      .toUpperCase()}_`;
    return variables.filter((variable) => variable.startsWith(start) && SHARED.test(variable));
  });
}

function toProgramName(program: string): string {
  return program.split('/').at(-1) ?? program;
}

/** Guesses which variables a command needs to be what it is in a terminal: those its pages name, those known of it, and proxies. */
export function guessVariables(
  { command: [program = ''], summary, options, variables = [] }: CommandPage,
  root: Pick<CommandPage, 'summary' | 'variables'>,
  packed: readonly string[] = [],
): string[] {
  const name = toProgramName(program);
  const variablesOf = commonKnowledge().variables;
  const isNetwork =
    hasTrait(name, 'network') ||
    NETWORK_TEXT.test(`${root.summary} ${summary}`) ||
    options.some(({ flags }) => flags.some((flag) => NETWORK_FLAG.test(flag.replace(/=$/, ''))));
  const patterns = [
    ...packed,
    ...(Object.hasOwn(variablesOf, name) ? (variablesOf[name] ?? []) : []),
    ...(knownOf(name, 'variables') ?? []),
    ...(isNetwork ? PROXIES : []),
  ];
  const isCovered = (variable: string): boolean =>
    isAlwaysPassed(variable) ||
    patterns.some((pattern) => {
      const [start = '', end] = pattern.split('*');
      return end === undefined ? variable === pattern : variable.startsWith(start) && variable.endsWith(end);
    });
  const named = [...(root.variables ?? []), ...variables].filter((variable) => !isCovered(variable));
  return [...new Set([...named.toSorted(), ...patterns])];
}
