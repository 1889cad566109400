import type { CommandPage } from './command-page.ts';

/** Words that a command's own help calls needed although it works without them, by the command. */
const NOT_NEEDED: Readonly<Record<string, string>> = {
  'git add': 'pathspec',
  'npm ls': 'package-spec',
  'npm pack': 'package-spec',
  'npm publish': 'package-spec',
  'npm init': 'package-spec',
  'npm stage publish': 'package-spec',
};

/** Corrects what well-known commands say wrongly about themselves. */
export function correctPage(page: CommandPage): CommandPage {
  const wrong = NOT_NEEDED[page.command.map((word) => word.split('/').at(-1)).join(' ')];
  if (wrong === undefined) return page;
  const positionals = page.positionals.map((word) => (word.name === wrong ? { ...word, isRequired: false } : word));
  return { ...page, positionals };
}
