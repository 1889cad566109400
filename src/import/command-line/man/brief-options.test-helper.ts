import type { PageOption } from '../command-page.ts';
import { parseMan } from './parse-man.ts';

/** Summarizes an option. */
function brief({ flags, negated, value, isRepeatable, isRequired }: PageOption): string {
  const choices = value === undefined || value.choices.length === 0 ? '' : ` {${value.choices.join(',')}}`;
  const shown = value === undefined ? '' : ` ${value.isJoined ? '=' : ''}${value.name}${value.isOptional ? '?' : ''}`;
  const not = negated === undefined ? '' : ` not ${negated}`;
  return `${flags.join(' ')}${shown}${choices}${not}${isRepeatable ? ' (several)' : ''}${isRequired ? ' (required)' : ''}`;
}

/** Summarizes the options of a page. */
export function briefOptions(source: string, command: readonly string[]): string[] {
  return parseMan(source, command).options.map(brief);
}
