import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';

const SHELL = /^(?:ba|da|z|k|mk|a|c|tc|fi|r?ba)?sh$/;
const SHELL_OPTION = /^-[A-Za-z]*c[A-Za-z]*$/;
/** Programs that run code given as a value, and the options before it. */
const INTERPRETERS: Readonly<Record<string, RegExp>> = {
  python: /^-[A-Za-z]*c$/,
  perl: /^-[A-Za-z]*[eE]$/,
  ruby: /^-[A-Za-z]*e$/,
  node: /^(?:-[ep]+|--eval|--print)$/,
  php: /^-[A-Za-z]*r$/,
  lua: /^-e$/,
  env: /^(?:-[A-Za-z]*S|--split-string)$/,
  su: /^(?:-c|--command)$/,
  script: /^-[A-Za-z]*c$/,
};

/** Advice for authors who let a model write a program. */
export const SHELL_MESSAGE =
  'a shell or interpreter would run what a model sends. Pass the value as an argument: args: ["-c", "echo \\"$1\\"", "_", "{{name}}"].';

/** Finds the element that a shell or an interpreter on this command line would run as a program. */
export function findScript(argv: readonly string[]): number | undefined {
  for (const [index, element] of argv.entries()) {
    // Options and values do not name a program.
    if (element.startsWith('-') || element.startsWith('\0')) continue;
    const name = element.slice(element.lastIndexOf('/') + 1);
    if (/^[gmn]?awk$/.test(name)) return firstValue(argv, index + 1);
    const option = SHELL.test(name) ? SHELL_OPTION : INTERPRETERS[name.replace(/[\d.]+$/, '')];
    if (option === undefined) continue;
    const at = argv.findIndex((word, place) => place > index && option.test(word));
    if (at !== -1) return firstValue(argv, at + 1);
    // Code attached to its option: --eval=…, -c…
    const joined = argv.findIndex((word, place) => place > index && option.test(prefixOf(word)));
    if (joined !== -1) return joined;
  }
  return undefined;
}

/** The message for an interpreter that runs a model's text, from a file or from standard input, outside of a sandbox. */
export function inputMessage(interpreter: string): string {
  return `"${interpreter}" runs what a model sends. Run it in a sandbox (sandbox: bwrap), or name the program to run.`;
}

/**
 * Returns the shell or interpreter that runs its standard input or the file after this line; `undefined` if the line names a
 * program or is for another command.
 */
export function findInterpreter([file = '', ...words]: readonly string[]): string | undefined {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const isInterpreter = SHELL.test(name) || /^(?:python|perl|ruby|node|php|lua)[\d.]*$/.test(name);
  return isInterpreter && words.every((word) => word.startsWith('-')) ? name : undefined;
}

/** Returns the literal text before a value or a template, without the joining character. */
function prefixOf(word: string): string {
  const [prefix = '', ...rest] = word.split(/\0value|\{\{/);
  return rest.length === 0 ? '' : prefix.replace(/=$/, '');
}

/** Returns the first element that is not an option. */
function firstValue(argv: readonly string[], from: number): number | undefined {
  const at = argv.findIndex((word, place) => place >= from && !word.startsWith('-'));
  return at === -1 ? undefined : at;
}

/** Programs that run the file named on their command line. */
const RUNS_FILE = /^(?:(?:ba|da|z|k|fi)?sh|python[\d.]*|perl|ruby|node|deno|bun|tsx|ts-node|php|lua|Rscript|pwsh)$/;

/** Returns the files with code on a command line: its program if that is a path, and the file that an interpreter runs. */
export function programFiles([program = '', ...words]: readonly string[], folder: string): string[] {
  const own = program.includes('/') ? [resolve(folder, program)] : [];
  if (!RUNS_FILE.test(basename(program))) return own;
  const script = words.map((word) => resolve(folder, word)).find((path) => isFile(path));
  return script === undefined ? own : [...own, script];
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
