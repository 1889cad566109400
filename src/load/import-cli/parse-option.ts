import type { HelpOption, HelpValue } from './help-page.ts';
import { findChoices, parseChoices } from './parse-choices.ts';

const FLAG = /^-{1,2}(?:\[no-\])?[A-Za-z0-9?][\w-]*(?:\.[\w-]+)*/;
/** What looks like the name of a value rather than like a sentence. */
const VALUE_NAME = /^(?:<[^>]*>|\[[^\]]*\]|\{[^}]*\}|"[^"]*"|'[^']*'|[A-Z][A-Z0-9_:|./-]*|\w[\w|-]*)(?:\.\.\.|…)?$/;
const MAX_VALUES = 4;

/** Reads the left column of an option's line, `-f, --file=FILE`; `undefined` when it is something else. */
export function parseOption(spec: string, description: string): HelpOption | undefined {
  const flags: string[] = [];
  let value: HelpValue | undefined;
  let isCompound = false;
  for (const part of spec.split(/(?:,\s*|\s\|\s|\s+or\s+|(?<=\w)\s+\/\s+)(?=-)/)) {
    const flag = FLAG.exec(part.trim())?.[0];
    if (flag === undefined) return undefined;
    flags.push(...spellings(flag));
    const rest = part.trim().slice(flag.length);
    if (rest === '') continue;
    const read = readValue(rest, description);
    if (read === undefined) return undefined;
    value = read.value ?? value;
    isCompound ||= read.isCompound;
  }
  const unique = [...new Set(flags)].toSorted((a, b) => b.length - a.length);
  return unique.length === 0 ? undefined : { flags: unique, value, description, isCompound };
}

/** `--[no-]color` is two flags. */
function spellings(flag: string): string[] {
  return flag.includes('[no-]') ? [flag.replace('[no-]', '')] : [flag];
}

function readValue(
  rest: string,
  description: string,
): { readonly value: HelpValue | undefined; readonly isCompound: boolean } | undefined {
  // `--verbose...`: may be repeated, takes nothing.
  if (/^(?:\.\.\.|…)$/.test(rest)) return { value: undefined, isCompound: false };
  const joined = /^(\[?)=(.*)$/s.exec(rest);
  if (joined !== null) {
    const isOptional = joined[1] === '[';
    const name = (joined[2] ?? '').replace(isOptional ? /\]$/ : /$/, '');
    return { value: toValue(name, { isOptional, isJoined: true }, description), isCompound: false };
  }
  // `-u<mode>`, `-S[<keyid>]`: written close to a short flag.
  if (/^[<[]/.test(rest)) {
    const name = rest.replace(/^\[=?(.*)\]$/, '$1');
    return {
      value: toValue(name, { isOptional: rest.startsWith('['), isJoined: true }, description),
      isCompound: false,
    };
  }
  const words = rest.trim().match(/<[^>]*>\S*|\[[^\]]*\]\S*|\{[^}]*\}|"[^"]*"|'[^']*'|\S+/g) ?? [];
  if (!/^\s/.test(rest) || words.length > MAX_VALUES || !words.every((word) => VALUE_NAME.test(word))) return undefined;
  const [first = ''] = words;
  const isOptional = first.startsWith('[') && !/[.…]\]?$/.test(first);
  return { value: toValue(first, { isOptional, isJoined: false }, description), isCompound: words.length > 1 };
}

function toValue(
  name: string,
  how: { readonly isOptional: boolean; readonly isJoined: boolean },
  description: string,
): HelpValue {
  const own = parseChoices(name);
  const plain = name.replace(/(?:\.\.\.|…)$/, '').replaceAll(/^[<[{"']+|[>\]}"']+$/g, '');
  return { name: plain, ...how, choices: own.length > 0 ? own : findChoices(description) };
}
