import { matches, matching } from '../packs/knowledge.ts';
import type { CommandPage, PageOption } from './command-page.ts';
import { isUseless } from './to-cli-tool.ts';

/** Up to this many options, each tool gets all of them. */
const FEW = 3;

/** Global options for the tools, and those omitted. */
export interface GlobalOptions {
  readonly chosen: readonly PageOption[];
  readonly left: readonly PageOption[];
}

/** Chooses the global options for each tool. `wanted` names further ones, or is `all` or `none`. */
export function chooseGlobals(options: readonly PageOption[], wanted: readonly string[] = []): GlobalOptions {
  const useful = options.filter((option) => !isUseless(option));
  const names = new Set(wanted.flatMap((name) => [name, `-${name}`, `--${name}`]));
  const isChosen = ({ flags, value }: PageOption): boolean => {
    const isSetting = flags.includes('--profile') && value?.choices.length !== 0;
    if (names.has('all') || flags.some((flag) => names.has(flag))) return true;
    if (names.has('none')) return false;
    // A free name, such as a namespace; an option with a list of values is a setting.
    return useful.length <= FEW || (flags.some(matching('needed_global')) && !isSetting);
  };
  return { chosen: useful.filter(isChosen), left: useful.filter((option) => !isChosen(option)) };
}

/** Returns the options of a program's own page as global ones: they come before the subcommand unless the page says otherwise. */
export function globalsOf({ options, commands }: CommandPage): PageOption[] {
  return commands.length === 0 ? [] : options.map((option) => ({ ...option, global: option.global ?? 'before' }));
}

/** Gives each chosen option a name that is free on all pages, so that all tools of an import share it. */
export function nameGlobals({ chosen, left }: GlobalOptions, pages: readonly CommandPage[]): GlobalOptions {
  const words = new Set(
    pages
      .flatMap(({ options, positionals }) => [
        ...options.filter((option) => option.global === undefined).map(({ flags, name }) => name ?? flags[0] ?? ''),
        ...positionals.map(({ name }) => name),
      ])
      .map((word) =>
        word
          .replace(/^-+/, '')
          .replaceAll(/[^A-Za-z0-9]+/g, '_')
          .toLowerCase(),
      ),
  );
  return {
    left,
    chosen: chosen.map((option) => {
      const [flag = ''] = option.flags;
      if (option.global !== 'before') return option;
      const isLetter = option.flags.every((one) => /^-[^-]$/.test(one));
      const tellsFolder = isLetter && option.value !== undefined && matches('working_dir_text', option.description);
      if (tellsFolder && !words.has('working_dir')) return { ...option, name: 'working_dir' };
      const isTaken = pages.some((page) => page.options.some((twin) => isTwin(twin, option) && isOther(twin, option)));
      return isTaken ? { ...option, name: `global_${flag.replace(/^-+/, '')}` } : option;
    }),
  };
}

/** Adds the chosen global options to a page, and removes the others if it lists them. */
export function withGlobals(page: CommandPage, { chosen, left }: GlobalOptions): CommandPage {
  const own = page.options.filter(
    (option) => option.global === undefined || !left.some((other) => isSame(option, other)),
  );
  const added = chosen.filter((option) => {
    const twin = own.find((one) => isTwin(one, option));
    return twin === undefined || isOther(twin, option);
  });
  return { ...page, options: [...own, ...added] };
}

function isSame(one: PageOption, other: PageOption): boolean {
  return one.flags[0] === other.flags[0];
}

/** True when an option of a page has the flag of a global one. */
function isTwin(one: PageOption, global: PageOption): boolean {
  return one.flags.includes(global.flags[0] ?? '');
}

/** `git -C PATH branch -C`: both can be given, in different places. */
function isOther(twin: PageOption, global: PageOption): boolean {
  if (global.global !== 'before' || twin.description === global.description) return false;
  if (matches('working_dir_text', global.description) && !matches('working_dir_text', twin.description)) return true;
  if (twin.global !== undefined) return false;
  return !isSame(global, twin) || (global.value === undefined) !== (twin.value === undefined);
}
