import { isAlwaysPassed } from '../../../platform/process/child-environment.ts';
import { commonKnowledge, hasTrait, knownOf, oneOf, matches } from '../../packs/knowledge.ts';
import type { CommandPage } from '../command-page.ts';

/** Patterns for proxy variables, in both spellings. */
const PROXIES: readonly string[] = ['*_PROXY', '*_proxy'];

/**
 * Finds variables on the pages of subcommands that are named after the program and define its identity or connection:
 * `GIT_SSL_KEY` of `git config`.
 */
export function findSharedVariables(pages: readonly CommandPage[]): string[] {
  return pages.flatMap(({ command: [program = ''], variables = [] }) => {
    const start = `${toProgramName(program)
      .replace(/[.]\w+$/, '')
      .replaceAll('-', '_')
      .toUpperCase()}_`;
    return variables.filter((variable) => variable.startsWith(start) && matches('shared_variable', variable));
  });
}

function toProgramName(program: string): string {
  return program.split('/').at(-1) ?? program;
}

/** Guesses the variables that make a command behave as in a terminal: those on its pages, known ones, and proxies. */
export function guessVariables(
  { command: [program = ''], summary, options, variables = [] }: CommandPage,
  root: Pick<CommandPage, 'summary' | 'variables'>,
  packed: readonly string[] = [],
): string[] {
  const name = toProgramName(program);
  const variablesOf = commonKnowledge().variables;
  const isNetwork =
    hasTrait(name, 'network') ||
    matches('network_text', `${root.summary} ${summary}`) ||
    options.some(({ flags }) => flags.some((flag) => matches('network_flag', flag.replace(/=$/, ''))));
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

/** A variable's name in a list: one word or several. */
const NAME = '([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][A-Z0-9]{2,})';
/** A variable's name in a sentence, where short words may be anything: `the REVISION environment variable` of a hook. */
const LONG_NAME = '([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][A-Z0-9]{8,})';
/** Notations for a variable that an option reads: `[env: TOKEN=]`, `(env TOKEN)`, `(env var: TOKEN)`, `[$TOKEN]` */
const MARKED: readonly RegExp[] = [
  new RegExp(String.raw`[[(]env(?:ironment)?(?: var(?:iable)?)?[:=]?\s*["'\x60$]*${NAME}\b`, 'g'),
  new RegExp(String.raw`\[\$${NAME}\b`, 'g'),
];
/** Sentences that name a variable, including some that a command sets for others. */
const TOLD: readonly RegExp[] = [
  new RegExp(String.raw`\b[Ee]nvironment variables?:?\s+["'\x60$]*${LONG_NAME}\b`, 'g'),
  new RegExp(String.raw`\b${LONG_NAME}["'\x60]* (?:environment |env )(?:variables?|vars?)\b`, 'g'),
  // `or $KUBECONFIG`, but not variables in an example.
  new RegExp(
    String.raw`(?:\b(?:via|from|by|in|to|the|or|and|set|use|default:?)|[(,])\s+["'\x60]?\$\{?${LONG_NAME}\b`,
    'g',
  ),
];
const LISTED = new RegExp(String.raw`^\s*\$?${NAME}(?=\s*(?:[=:,]|\s\s|$))`);

/** Finds the variables that a program reads, according to its page; `listed` are the lines of its section about them. */
export function findVariables(text: string, listed: readonly string[], program: string): string[] {
  const { common_variables, other_variables } = commonKnowledge();
  const find = (patterns: readonly RegExp[]): string[] =>
    patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
  const own = listed.map((line) => LISTED.exec(line)?.[1] ?? '');
  const told = find(TOLD).filter((name) => oneOf(common_variables).test(name) || isNamedAfter(name, program));
  return [...new Set([...own, ...find(MARKED), ...told])].filter(
    (name) => name !== '' && !matches('style_variable', name) && !oneOf(other_variables).test(name),
  );
}

/**
 * True when a variable begins like the program, or with letters of its name: `GIT_SSH`, `KUBECTL_…`, `TF_…` of terraform. Scripts
 * given by path have short help and may read variables of any name.
 */
function isNamedAfter(variable: string, program: string): boolean {
  if (program.includes('/')) return true;
  const [first = ''] = variable.toLowerCase().split('_');
  const name = (program.split('/').at(-1) ?? '').toLowerCase();
  if (first.startsWith(name.slice(0, 2))) return true;
  return new RegExp(first.split('').join('.*')).test(name);
}
