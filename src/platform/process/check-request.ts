import { describeValue } from '../../tool/texts/describe-value.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { ProcessRequest } from './process-request.ts';

/** Maximum bytes of one argument or variable on Linux, including its NUL (MAX_ARG_STRLEN). */
const MAX_STRING = 128 * 1024;
/** Maximum bytes of all arguments and variables: a quarter of the usual stack on Linux, ARG_MAX on macOS. */
const MAX_TOTAL = process.platform === 'darwin' ? 1024 * 1024 : 2 * 1024 * 1024;
/** A generous allowance for what the system puts on the child's stack. */
const RESERVED = 8 * 1024;
/** The NUL and the pointer for each string. */
const PER_STRING = 9;

/** Throws `invalid_arguments` for values that no child can receive byte for byte. The message names the value and the fix. */
export function checkRequest({ file, args, cwd, env, stdin }: ProcessRequest): void {
  if (file === '') refuse('file', 'The program to run is an empty string', 'Give a path or a name in PATH.');
  checkText('file', 'The program', file);
  if (cwd !== undefined) checkText('cwd', 'The working directory', cwd);
  if (typeof stdin === 'string' && !stdin.isWellFormed()) refuseSurrogate('stdin', 'Standard input');
  let total = RESERVED + Buffer.byteLength(file) + PER_STRING;
  for (const [index, arg] of args.entries()) total += checkString(`args[${index}]`, `Argument ${index + 1}`, arg);
  for (const name of Object.keys(env)) total += checkVariable(name, env[name] ?? '');
  if (total > MAX_TOTAL) {
    refuse(
      'args',
      `The arguments and the environment are ${count(total)} bytes together and the system takes ${count(MAX_TOTAL)}`,
      'Pass less, or pass the data on standard input or in a file.',
    );
  }
}

function checkVariable(name: string, value: string): number {
  const field = `env.${name}`;
  if (name === '' || name.includes('='))
    refuse(field, `The environment variable name ${describeValue(name)} is empty or contains "="`, 'Rename it.');
  return checkString(field, `Environment variable ${describeValue(name)}`, `${name}=${value}`);
}

function checkString(field: string, label: string, text: string): number {
  checkText(field, label, text);
  const bytes = Buffer.byteLength(text);
  if (bytes >= MAX_STRING && process.platform !== 'darwin') {
    refuse(
      field,
      `${label} is ${count(bytes)} bytes and the system takes ${count(MAX_STRING - 1)} in one`,
      'Shorten it, or pass the data on standard input or in a file.',
    );
  }
  return bytes + PER_STRING;
}

function checkText(field: string, label: string, text: string): void {
  const nul = text.indexOf('\0');
  if (nul !== -1)
    refuse(field, `${label} contains a NUL byte at position ${nul}, which no program can receive`, 'Remove it.');
  if (!text.isWellFormed()) refuseSurrogate(field, label);
}

function refuseSurrogate(field: string, label: string): never {
  refuse(field, `${label} contains half of a surrogate pair, which has no bytes in UTF-8`, 'Send whole characters.');
}

function refuse(field: string, reason: string, advice: string): never {
  throw new ToolError({ code: 'invalid_arguments', message: `${reason}. ${advice}`, field, reason });
}

function count(bytes: number): string {
  return bytes.toLocaleString('en-US');
}
