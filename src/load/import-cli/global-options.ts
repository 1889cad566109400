import type { CommandPage, PageOption } from './command-page.ts';
import { isUseless } from './to-cli-tool.ts';

/** So few that all of them fit into each tool. */
const FEW = 3;
/** Global options that say on what a command works or how it answers, which a call may need. */
const NEEDED =
  /^--?(?:namespace|context|kubeconfig|repo|profile|region|project|account|subscription|host|chdir|directory|cwd|workspace|organization|org|output|format|json|query|C)$/;

/** Global options as tools have them, and those that were left out. */
export interface GlobalOptions {
  /** What each tool gets besides its own. */
  readonly chosen: readonly PageOption[];
  readonly left: readonly PageOption[];
}

/** Chooses which options that hold for every subcommand each tool has. `wanted` names further ones, or is `all` or `none`. */
export function chooseGlobals(options: readonly PageOption[], wanted: readonly string[] = []): GlobalOptions {
  const useful = options.filter((option) => !isUseless(option));
  const names = new Set(wanted.flatMap((name) => [name, `-${name}`, `--${name}`]));
  const isChosen = ({ flags, value }: PageOption): boolean => {
    const isSetting = flags.includes('--profile') && value?.choices.length !== 0;
    if (names.has('all') || flags.some((flag) => names.has(flag))) return true;
    if (names.has('none')) return false;
    // A name of one's own choosing, such as that of a namespace; a list of values is a setting.
    return useful.length <= FEW || (flags.some((flag) => NEEDED.test(flag)) && !isSetting);
  };
  return { chosen: useful.filter(isChosen), left: useful.filter((option) => !isChosen(option)) };
}

/** The options of a program's own page, which hold for every subcommand: they stand before it unless the page says otherwise. */
export function globalsOf({ options, commands }: CommandPage): PageOption[] {
  return commands.length === 0 ? [] : options.map((option) => ({ ...option, global: option.global ?? 'before' }));
}

/** Gives a page the global options it should have, and takes away those that it lists and should not. */
export function withGlobals(page: CommandPage, { chosen, left }: GlobalOptions): CommandPage {
  const isSame = (one: PageOption, other: PageOption): boolean => one.flags[0] === other.flags[0];
  const isIn = (option: PageOption, list: readonly PageOption[]): boolean =>
    list.some((other) => isSame(option, other));
  const own = page.options.filter((option) => option.global === undefined || !isIn(option, left));
  const added = chosen.flatMap((option): PageOption[] => {
    const twin = own.find(({ flags }) => flags.includes(option.flags[0] ?? ''));
    if (twin === undefined) return [option];
    // `git -C PATH branch -C`: where the two stand apart both can be given, and the command's own has the name.
    const isOther = option.global === 'before' && twin.global === undefined && twin.description !== option.description;
    const isMeant = isOther && (!isSame(option, twin) || (option.value === undefined) !== (twin.value === undefined));
    if (isMeant) return [{ ...option, name: `global_${(option.flags[0] ?? '').replace(/^-+/, '')}` }];
    return [];
  });
  return { ...page, options: [...own, ...added] };
}
