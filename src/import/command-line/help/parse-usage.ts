import type { PageOption, PagePositional } from '../command-page.ts';
import { parseChoices, parseOption } from './parse-option.ts';
import { parseUsageTree, type UsageNode } from './usage-tree.ts';

/** A usage line: positionals, and the options it spells out. */
export interface Usage {
  readonly positionals: readonly PagePositional[];
  readonly options: readonly PageOption[];
  readonly isFlagsFirst: boolean;
  readonly exclusive: readonly (readonly string[])[];
  readonly oneOf: readonly (readonly string[])[];
  /** `--` may precede the positionals: `[--] [<path>...]`. */
  readonly hasSeparator: boolean;
  /** All forms require a certain flag. */
  readonly isSpecial: boolean;
}

/** Words of usage lines that mean options, not a value. */
const OPTIONS_WORD = /^(?:.*[\s_-])?(?:options?|flags?|opts?|switches)$/i;
/** Words that mean subcommands and their arguments. */
const COMMAND_WORD = /^(?:sub[- _]?command|command|cmd)$/i;
const ARGS_WORD = /^(?:args?|arguments?)$/i;

/** Facts about a command from other parts of its page. */
export interface UsageContext {
  readonly commands?: readonly string[];
  /** Options that have their own lines. */
  readonly options?: readonly PageOption[];
}

/** Parses one usage line after the command's own words. */
export function parseUsage(usage: string, { commands = [], options = [] }: UsageContext = {}): Usage {
  // `[-help]` beside `-noout FILE` is a single-dash word, not a bundle of letters.
  const hasWords =
    options.some(({ flags }) => flags.some((flag) => /^-[A-Za-z]\w{2,}/.test(flag))) || /\[-[a-z]\w{2,} </.test(usage);
  const reading = new UsageReading(new Set(commands), hasWords);
  // `KEY_1=VAL_1 ... KEY_N=VAL_N` is one word, repeated, as is `PORT [...PORT_N]`; `(see also: …)` is a remark.
  const plain = usage
    .replaceAll(/\((?:see|same as|e\.g\.)\b[^)]*\)/gi, '')
    .replaceAll(/\s+\[(?:\.\.\.|…)\S+\]/g, '...')
    // `<names..>` and `[names..]` of yargs, `<names...>` of commander.
    .replaceAll(/([<[])([\w-]+)\.{2,3}([>\]])/g, '$1$2$3...')
    // `pkg1 [pkg2 ...]`
    .replaceAll(/\b([A-Za-z]+)1 \[\1 ?2 ?(?:\.\.\.|…)\]/g, '$1...')
    // `{script-only-if-no-other-script}` of sed.
    .replaceAll(/\{([a-z]+)-only-if-[a-z-]+\}/g, '[$1]');
  const text = plain.replaceAll(/(\S+?)_1(?:=(\S+?)_1)?\s+(?:\.\.\.|…)\s+\S+_N\S*/g, (_, key, value) =>
    value === undefined ? `${key}...` : `${key}=${value}...`,
  );
  const takesValue = (flag: string): boolean =>
    options.some(({ flags, value }) => value !== undefined && flags.includes(flag));
  reading.readSequence(parseUsageTree(text, takesValue), true);
  return reading.finish();
}

type Group = Extract<UsageNode, { type: 'group' }>;

/** Collects the contents of a usage line, from left to right. */
class UsageReading {
  readonly #commands: ReadonlySet<string>;
  /** Single-dash options have several letters. */
  readonly #hasWords: boolean;
  readonly #positionals: PagePositional[] = [];
  readonly #options: PageOption[] = [];
  readonly #exclusive: string[][] = [];
  readonly #oneOf: string[][] = [];
  /** The number of positionals before the options. */
  #wordsBeforeOptions: number | undefined;
  #isTail: true | '--' | undefined;
  #hasSeparator = false;
  #isCommandNamed = false;

  constructor(commands: ReadonlySet<string>, hasWords: boolean) {
    this.#commands = commands;
    this.#hasWords = hasWords;
  }

  finish(): Usage {
    const positionals = joinTail(this.#positionals);
    return {
      positionals,
      options: this.#options,
      isFlagsFirst:
        positionals.some(({ tail }) => tail === true) || (this.#wordsBeforeOptions === 0 && positionals.length > 0),
      exclusive: this.#exclusive,
      oneOf: this.#oneOf,
      hasSeparator: this.#hasSeparator,
      isSpecial: false,
    };
  }

  readSequence(nodes: readonly UsageNode[], isRequired: boolean): void {
    for (const [index, node] of nodes.entries()) {
      switch (node.type) {
        case 'dashes':
          // `-- COMMAND` begins another command line.
          if (index < nodes.length - 1) this.#isTail = '--';
          break;
        case 'option':
          this.#addOptions(node, isRequired);
          break;
        case 'word':
          this.#addWord(node, isRequired);
          break;
        case 'group': {
          if (isDashes(node)) {
            // `[<commit>] [--] [<path>...]` distinguishes two kinds of words; before the first it is a separator.
            if (this.#positionals.length > 0) this.#isTail = '--';
            else this.#hasSeparator = true;
            break;
          }
          const tail = this.#isTail;
          this.#readGroup(node, isRequired && !node.isOptional);
          // Another command line ends at its brackets.
          this.#isTail = tail;
          break;
        }
      }
    }
  }

  #readGroup(group: Group, isRequired: boolean): void {
    const { alternatives, isRepeated } = group;
    const [only] = alternatives;
    if (only === undefined) return;
    const before = this.#positionals.length;
    if (alternatives.length === 1) {
      // `[ps OPTIONS]`: options of another program cannot be an argument.
      if (only.length === 2 && only.every(({ type }) => type === 'word') && isOptionsWord(only[1])) return;
      // `[ignored command line arguments]`: a remark.
      if (only.length > 2 && only.every((node) => node.type === 'word' && /^[a-z]+$/.test(node.text))) return;
      this.readSequence(only, isRequired);
      if (isRepeated) this.#markRepeated(before, only);
      return;
    }
    const literal = toLiteral(alternatives);
    if (literal !== undefined) {
      this.#addWord({ text: literal, isRepeated }, isRequired);
      return;
    }
    this.#readAlternatives(alternatives, { isRequired, isRepeated });
  }

  #readAlternatives(
    alternatives: Group['alternatives'],
    { isRequired, isRepeated }: { readonly isRequired: boolean; readonly isRepeated: boolean },
  ): void {
    const readings = alternatives.map((nodes) => {
      const reading = new UsageReading(this.#commands, this.#hasWords);
      reading.readSequence(nodes, true);
      return reading;
    });
    for (const { options } of readings.map((reading) => reading.finish())) this.#pushOptions(options, false);
    const words = readings.map((reading) => reading.#positionals);
    const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? [];
    const areWords = words.every((list) => list.length > 0);
    for (const [index, word] of longest.entries()) {
      const isEverywhere = words.every((list) => list[index]?.isRequired === true);
      // `(TYPE NAME | TYPE/NAME)`: the first word may have the other form.
      const form = index === 0 ? joinForms(words.map(([one]) => one)) : word.form;
      this.#push({
        ...word,
        ...(form === undefined ? {} : { form }),
        // `<number> | <url>`: the type of the first name does not apply to the others.
        ...(index === 0 && longest.length === 1 ? { type: 'string' as const, description: alternativesOf(words) } : {}),
        isRequired: isRequired && isEverywhere,
        isRepeated:
          index === longest.length - 1 && (isRepeated || words.some((list) => list.at(-1)?.isRepeated === true)),
      });
    }
    const firsts = readings.map((reading) => reading.#positionals[0]?.name ?? reading.#options[0]?.flags[0]);
    const known = firsts.filter((name) => name !== undefined);
    if (known.length !== firsts.length || known.length < 2 || areWords) return;
    if (isRequired) this.#oneOf.push(known);
    // `[-a | -b]`: one of several options.
    if (words.every((list) => list.length === 0) && !isRepeated) this.#exclusive.push(known);
  }

  #addOptions(
    { spec, isRepeated }: { readonly spec: string; readonly isRepeated: boolean },
    isRequired: boolean,
  ): void {
    this.#wordsBeforeOptions ??= this.#positionals.length;
    // `-json` alone is a single-dash word; only `[-abc]` is three letters.
    const isWord = isRequired || (this.#hasWords && /^-\w{3,}$/.test(spec));
    const options = isWord ? [parseOption(spec, '') ?? []].flat() : readOptions(spec, isRepeated);
    this.#pushOptions(options, isRequired);
  }

  #pushOptions(options: readonly PageOption[], isRequired: boolean): void {
    if (options.length > 0) this.#wordsBeforeOptions ??= this.#positionals.length;
    for (const option of options) {
      const known = this.#options.findIndex(({ flags }) => flags.some((flag) => option.flags.includes(flag)));
      const one = this.#options[known];
      // `[-asq] [-a=architecture]`: the form with the value says more.
      if (one !== undefined && one.value === undefined && option.value !== undefined) {
        this.#options[known] = { ...option, isRequired: false };
      }
      // `[--omit <x> [--omit <x> ...]]`
      else if (one !== undefined) this.#options[known] = { ...one, isRepeatable: true };
      // Only an option with a value is required; a switch alone is one of the forms.
      else this.#options.push({ ...option, isRequired: isRequired && option.value !== undefined });
    }
  }

  #addWord({ text, isRepeated }: { readonly text: string; readonly isRepeated: boolean }, isRequired: boolean): void {
    const choices = parseChoices(text);
    const name = choices.length > 0 ? 'value' : nameOf(text);
    if (OPTIONS_WORD.test(name)) {
      this.#wordsBeforeOptions ??= this.#positionals.length;
      return;
    }
    const isCommand =
      choices.length > 0 ? choices.every((choice) => this.#commands.has(choice)) : COMMAND_WORD.test(name);
    if (this.#commands.size > 0 && isCommand) this.#isCommandNamed = true;
    if (name === '' || (this.#commands.size > 0 && isCommand)) return;
    // `COMMAND [ARGS]...`: the words after a subcommand belong to it.
    if (this.#isCommandNamed && ARGS_WORD.test(name)) return;
    const tail = this.#isTail;
    this.#push({
      name,
      isRequired,
      isRepeated,
      // `NUMBER[SUFFIX]` is not a number.
      ...(/\w\[/.test(text) ? { type: 'string' as const } : {}),
      choices,
      ...(choices.length > 0 || plainForm(text) === name ? {} : { form: plainForm(text) }),
      description: '',
      ...(tail === undefined ? {} : { tail }),
    });
  }

  #push(word: PagePositional): void {
    const known = this.#positionals.findIndex(({ name, tail }) => name === word.name && tail === word.tail);
    const one = this.#positionals[known];
    // `NAME [NAME...]`
    if (one === undefined) this.#positionals.push(word);
    else this.#positionals[known] = { ...one, isRepeated: true };
  }

  #markRepeated(from: number, nodes: readonly UsageNode[]): void {
    const last = this.#positionals.at(-1);
    if (this.#positionals.length > from && last !== undefined) {
      this.#positionals[this.#positionals.length - 1] = { ...last, isRepeated: true };
    }
    const flags = new Set(
      specsIn(nodes)
        .flatMap((spec) => readOptions(spec, false))
        .flatMap((option) => option.flags),
    );
    for (const [index, option] of this.#options.entries()) {
      if (option.flags.some((flag) => flags.has(flag))) this.#options[index] = { ...option, isRepeatable: true };
    }
  }
}

/** Returns the options in nodes and in nested groups. */
function specsIn(nodes: readonly UsageNode[]): string[] {
  return nodes.flatMap((node) =>
    node.type === 'option' ? [node.spec] : node.type === 'group' ? node.alternatives.flatMap(specsIn) : [],
  );
}

/** `[--]` */
function isDashes({ alternatives }: Group): boolean {
  const [only] = alternatives;
  return alternatives.length === 1 && only?.length === 1 && only[0]?.type === 'dashes';
}

function isOptionsWord(node: UsageNode | undefined): boolean {
  return node?.type === 'word' && OPTIONS_WORD.test(nameOf(node.text));
}

/** `number, url or branch`; empty for a single name. */
function alternativesOf(words: readonly (readonly PagePositional[])[]): string {
  const names = [...new Set(words.flatMap((list) => list.map(({ name }) => name.toLowerCase())))];
  return names.length < 2 ? '' : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** Returns a word of a usage line in plain form: `<file>` is `file`. */
function plainForm(text: string): string {
  return text.replace(/^<([^<>]*)>$/, '$1').trim();
}

/** `TYPE[.VERSION] or TYPE/NAME`: all forms of a word; `undefined` if that is just its name. */
export function joinForms(words: readonly (PagePositional | undefined)[]): string | undefined {
  const forms = new Set(words.flatMap((word) => (word === undefined ? [] : [word.form ?? word.name])));
  return forms.size > 1 ? [...forms].join(' or ') : words.find((word) => word !== undefined)?.form;
}

/** `start|stop` of `[start | stop]` if all are plain words; `undefined` if they are names of values. */
function toLiteral(alternatives: Group['alternatives']): string | undefined {
  const words = alternatives.map((nodes) => {
    const [node] = nodes;
    return nodes.length === 1 && node?.type === 'word' ? node.text : undefined;
  });
  const isPlain = words.every((word) => word !== undefined && /^[a-z0-9][\w.-]*$/.test(word));
  return isPlain ? words.join('|') : undefined;
}

/** `TYPE[.VERSION][.GROUP]` → `TYPE`, `NAME|ID` → `NAME`, `<file-spec>` → `file-spec`; empty if there is no name. */
function nameOf(text: string): string {
  const bare = text.replaceAll(/\[[^\]]*\]|\.\.\.|…/g, '');
  const name = (bare.split('|')[0] ?? '').replaceAll(/[<>{}[\]()"']/g, '').trim();
  return /^@?[A-Za-z][\w:/.= @+-]*$/.test(name) ? name.replace(/^@/, '') : '';
}

/** Treats a command with its words at the end as another command line, and drops words that only say "args". */
function joinTail(words: readonly PagePositional[]): readonly PagePositional[] {
  const dashed = words.findIndex(({ tail }) => tail === '--');
  const at =
    dashed !== -1
      ? dashed
      : words.findIndex((word, index) => {
          const next = words[index + 1];
          return (
            /^(?:command|cmd|program)$/i.test(word.name) &&
            index === words.length - 2 &&
            next?.isRepeated === true &&
            ARGS_WORD.test(next.name)
          );
        });
  const last = words.at(-1);
  // `run <cmd>...`: all words of another command line.
  if (at === -1 && last?.isRepeated === true && last.tail === undefined && /^(?:command|cmd)s?$/i.test(last.name)) {
    return [...words.slice(0, -1), { ...last, tail: true }];
  }
  const first = words[at];
  const others = (at === -1 || dashed !== -1 ? words : words.slice(0, at)).filter(
    (word) => word.tail === undefined && !(ARGS_WORD.test(word.name) && !word.isRequired && !word.isRepeated),
  );
  if (first === undefined) return others;
  return [...others, { ...first, isRepeated: true, tail: dashed === -1 ? true : '--' }];
}

/** `-abc` is three flags; `-f file` and `--depth=<n>` are one each; `-w|--workspace <name>` is one with two spellings. */
function readOptions(spec: string, isRepeated: boolean): PageOption[] {
  const bundle = /^-([A-Za-z0-9]{2,})$/.exec(spec)?.[1];
  const found =
    bundle === undefined
      ? [parseOption(spec.replaceAll(/\|(?=-)/g, ', '), '')]
      : // `-Olevel` is a letter with its value.
        (/^[A-Z][a-z]{3,}$/.test(bundle) ? [] : bundle.split('')).map((letter) => parseOption(`-${letter}`, ''));
  return found.flatMap((option) =>
    option === undefined
      ? []
      : [{ ...option, isRepeatable: option.isRepeatable || (isRepeated && option.value !== undefined) }],
  );
}
