import { parseArgs } from 'node:util';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { COMMON_OPTIONS, type Command, type OptionSpec, type OptionSpecs } from '../shared/command.ts';
import { UsageError } from '../shared/usage-error.ts';

export interface ParsedLine {
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly positionals: readonly string[];
}

/** Parses the words after a command's name. Throws a `UsageError` that suggests a correction. */
export function parseCommandLine(command: Command, args: readonly string[]): ParsedLine {
  const options: OptionSpecs = { ...command.options, ...COMMON_OPTIONS };
  // Not strict: Node's own messages name neither the nearest option nor the command.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const spec = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (spec === undefined) throw unknownOption(command, token.rawName, options);
    const values = given.get(token.name) ?? [];
    given.set(token.name, [...values, readValue(command, spec, token)]);
    if (spec.multiple !== true && spec.type === 'string' && values.length > 0) {
      throw new UsageError(`${token.rawName} is given twice. Give it once.`, command.name);
    }
  }
  if (!given.has('help')) checkWords(command, positionals);
  return { values: toValues(options, given), positionals };
}

function readValue(
  command: Command,
  spec: OptionSpec,
  { rawName, value, inlineValue }: { rawName: string; value?: string | undefined; inlineValue?: boolean | undefined },
): string {
  if (spec.type === 'boolean') {
    if (value === undefined) return 'true';
    throw new UsageError(`${rawName} takes no value; got "${value}".`, command.name);
  }
  const placeholder = spec.value ?? 'VALUE';
  if (value === undefined) throw new UsageError(`${rawName} needs a value: ${rawName} ${placeholder}.`, command.name);
  if (inlineValue !== true && value.length > 1 && value.startsWith('-')) {
    throw new UsageError(
      `${rawName} needs a value before "${value}". If that is the value, write ${rawName}=${value}.`,
      command.name,
    );
  }
  return value;
}

function unknownOption(command: Command, rawName: string, options: OptionSpecs): UsageError {
  const names = Object.keys(options).map((name) => `--${name}`);
  const [nearest] = nearestNames(rawName, names, 1);
  const hint = nearest === undefined ? `Use one of: ${names.join(', ')}.` : `Did you mean ${nearest}?`;
  const takesArguments = command.arguments?.some(({ completes }) => completes === 'arguments') === true;
  // For people who pass tool arguments as options.
  const own =
    takesArguments && rawName.startsWith('--') ? ` For an argument of the tool write ${rawName.slice(2)}=VALUE.` : '';
  return new UsageError(`"pegboard ${command.name}" has no option ${rawName}. ${hint}${own}`, command.name);
}

function checkWords(command: Command, positionals: readonly string[]): void {
  const specs = command.arguments ?? [];
  const missing = specs.find((spec, index) => spec.required === true && positionals[index] === undefined);
  if (missing !== undefined) {
    throw new UsageError(
      `"pegboard ${command.name}" needs ${missing.name}: ${lowerFirst(missing.description)}.`,
      command.name,
    );
  }
  const extra = specs.at(-1)?.multiple === true ? undefined : positionals[specs.length];
  if (extra !== undefined) {
    const takes = specs.length === 0 ? 'no words' : `only ${specs.map(({ name }) => name).join(' ')}`;
    const hint = 'file' in command.options ? ' Name config files with --file.' : '';
    throw new UsageError(`"pegboard ${command.name}" takes ${takes}; got "${extra}" as well.${hint}`, command.name);
  }
}

function toValues(options: OptionSpecs, given: ReadonlyMap<string, readonly string[]>): ParsedLine['values'] {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple }]) => {
      const values = given.get(name) ?? [];
      if (type === 'boolean') return [name, values.length > 0];
      return [name, multiple === true ? values : values.at(-1)];
    }),
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
