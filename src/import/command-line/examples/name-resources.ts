import type { CommandPage, PageOption, PagePositional } from '../command-page.ts';
import { exampleTokens, readLine } from './read-line.ts';

/** Names of a type, or of a type and a name: `RESOURCE`, `RESOURCE/NAME`, `resource.group/resource.name`. */
const RESOURCE = /^resource(?:\.group)?(?:\/(?:resource\.)?name)?$/i;
const TYPE = /^(?:type|kind)$/i;
/** `deployment/web` */
const TYPE_AND_NAME = /^[a-z][\w.]*\/[\w.-]+$/;

/**
 * Renames the words for a resource to `TYPE` and `NAME` if a command accepts both, like most of its kind: a `RESOURCE` with the
 * example `deployment/web` may also be `deployment web`.
 */
export function nameResources(page: CommandPage): CommandPage {
  const [first, second, ...others] = page.positionals;
  if (first === undefined || first.tail !== undefined) return page;
  if (TYPE.test(first.name) && second !== undefined && /^name_\w+$/i.test(second.name)) {
    const name = { ...second, name: 'NAME', form: `NAME or ${second.name}` };
    return { ...page, positionals: [first, name, ...others] };
  }
  if (!RESOURCE.test(first.name) || page.positionals.some(({ name }) => TYPE.test(name) || /^names?$/i.test(name))) {
    return page;
  }
  const shown = page.examples.flatMap(({ line }) => {
    const tokens = exampleTokens(page, line);
    return (tokens && readLine(page, tokens)?.words.slice(0, 1)) ?? [];
  });
  // `TYPE/NAME` may be the only accepted form.
  const isAlsoBare =
    !first.name.includes('/') || first.description.includes(' or ') || shown.some((word) => !word.includes('/'));
  if (!isAlsoBare || !shown.some((word) => TYPE_AND_NAME.test(word))) return page;
  const type = { ...first, name: 'TYPE', form: 'TYPE or TYPE/NAME', description: '', isRepeated: false };
  const name = { ...first, name: 'NAME', form: undefined, description: '', isRequired: false };
  return {
    ...page,
    positionals: [type, name, ...page.positionals.slice(1)],
    oneOf: page.oneOf.map((group) => group.map((one) => (one === first.name ? type.name : one))),
  };
}

/** Makes a positional optional if an option can replace it, such as a file that lists the resources. */
export function allowReplacements(page: CommandPage): CommandPage {
  const [first, ...others] = page.positionals;
  if (first?.isRequired !== true || first.tail !== undefined) return page;
  const standIns = page.options.filter(
    (option) => isResourceFile(option) || excludesFile(option, page) || isSelectorFor(first, others, option),
  );
  if (standIns.length === 0) return nameSelectors(page);
  return {
    ...page,
    positionals: [{ ...first, isRequired: false }, ...others],
    oneOf: [...page.oneOf, [first.name, ...standIns.map(({ flags: [flag = ''] }) => flag)]],
  };
}

/** `taint NODE [NAME] KEY=VALUE...`: without the name, a query or `--all` selects the objects. */
function nameSelectors(page: CommandPage): CommandPage {
  const [, second, ...others] = page.positionals;
  const selectors = page.options.filter(isSelector);
  const isGap = second?.isRequired === false && others.some(({ isRequired }) => isRequired);
  if (!isGap || selectors.length === 0) return page;
  return { ...page, oneOf: [...page.oneOf, [second.name, ...selectors.map(({ flags: [flag = ''] }) => flag)]] };
}

/** `-f, --filename: Filename, directory, or URL to files identifying the resource to get from a server` */
function isResourceFile({ flags, value, description }: PageOption): boolean {
  return flags.includes('--filename') && value !== undefined && /(?<!\breplace )\bthe resource\b/i.test(description);
}

/** `-k: … This flag can't be used together with -f or -R.` */
function excludesFile({ value, description }: PageOption, { options }: CommandPage): boolean {
  const [, flags = ''] = /\bcan(?:'t|not) be used together with ([^.]*)/.exec(description) ?? [];
  const named = flags.split(/[\s,]+/);
  return (
    value !== undefined &&
    options.some((file) => isResourceFile(file) && file.flags.some((flag) => named.includes(flag)))
  );
}

/** True when a label query replaces the only positional of a command: `drain NODE` and `drain --selector`. */
function isSelectorFor(first: PagePositional, others: readonly PagePositional[], option: PageOption): boolean {
  const isOnly = others.every(({ isRequired }) => !isRequired);
  const isType = TYPE.test(first.name) || RESOURCE.test(first.name);
  return isOnly && !isType && option.flags.includes('--selector') && isSelector(option);
}

/** `-l, --selector: Selector (label query) to filter on`, `--all: Select all nodes in the cluster` */
function isSelector({ flags, description }: PageOption): boolean {
  if (flags.includes('--all')) return /\bselect all\b/i.test(description);
  return flags.includes('--selector') && /\bto filter on\b/i.test(description);
}
