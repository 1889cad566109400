import { findUnknownNames, parseTemplate } from '../../platform/http/template/template.ts';
import { schemaPaths } from '../../tool/parameters/find-values.ts';
import { isPlainObject } from '../../tool/json.ts';
import { findProgramValue, programMessage, VALUE } from '../../platform/process/find-program-value.ts';
import { findInterpreter, findScript, inputMessage, SHELL_MESSAGE } from '../running/find-script.ts';
import type { EntryFault } from '../kind.ts';
import type { CommandsSettings, RunCommand } from './commands-settings.ts';
import { spreadOf } from './fill-argument.ts';

/** Finds faults in the templates of a `run` tool, and every place where a shell would interpret a model's value. */
export function checkRun(settings: CommandsSettings, paths: readonly string[] = []): EntryFault[] {
  return [...checkFiles(settings, paths), ...checkCommands(settings)];
}

/** Finds files that no argument contains, or that are also paths of a call. */
function checkFiles({ schema, files = {} }: CommandsSettings, paths: readonly string[]): EntryFault[] {
  const { properties } = schema;
  const marked = new Set([...paths, ...schemaPaths(schema)]);
  return Object.keys(files).flatMap((name): EntryFault[] => {
    const fault = (message: string): EntryFault[] => [{ path: ['files', name], message }];
    const property = isPlainObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isPlainObject(property)) return fault(`there is no argument "${name}" in schema.`);
    const { type, items } = property;
    const held = type === 'array' && isPlainObject(items) ? items['type'] : type;
    if (held !== 'string')
      return fault(`"${name}" must be type: string, or an array of strings, to be written to a file.`);
    return marked.has(name) ? fault('the board writes this file, so it is not a path of a call.') : [];
  });
}

function checkCommands(settings: CommandsSettings): EntryFault[] {
  const properties = settings.schema['properties'];
  const known = isPlainObject(properties) ? Object.keys(properties) : [];
  return settings.commands.flatMap((command, index) => {
    const check = (text: string, path: readonly (string | number)[]): EntryFault[] => {
      const template = parseTemplate(text);
      // A placeholder with a default and no argument is a constant.
      const bare = {
        ...template,
        placeholders: template.placeholders.filter(({ fallback }) => fallback === undefined),
      };
      const faults = [...template.faults, ...findUnknownNames(bare, known)];
      return faults.map(({ message }) => ({ path: ['commands', index, ...path], message }));
    };
    const checkArgument = (text: string, position: number): EntryFault[] => {
      const list = spreadOf(text);
      if (list === undefined) return check(text, ['args', position]);
      const path = ['commands', index, 'args', position];
      const property = isPlainObject(properties) ? properties[list] : undefined;
      if (property === undefined) return check(`{{${list}}}`, ['args', position]);
      const isList = isPlainObject(property) && (property['type'] === 'array' || property['type'] === 'object');
      const message = `"${list}" is not a list. Write type: array in its schema, or write {{${list}}}.`;
      return isList ? [] : [{ path, message }];
    };
    const faults = command.args.flatMap(({ text, when }, position) => [
      ...checkArgument(text, position),
      ...(when === undefined ? [] : check(when, ['args', position, 'when'])),
    ]);
    if (command.when !== undefined) faults.push(...check(command.when, ['when']));
    if (command.stdin !== undefined) faults.push(...check(command.stdin, ['stdin']));
    for (const [name, text] of Object.entries(command.env)) faults.push(...check(text, ['env', name]));
    if (parseTemplate(command.cmd).placeholders.length > 0) {
      faults.push({
        path: ['commands', index, 'cmd'],
        message: 'a value must not choose the program. Write the command out.',
      });
    }
    const shell = checkShell(command, index);
    faults.push(...checkInput(settings, index));
    return [...faults, ...shell, ...(shell.length === 0 ? checkPrograms(settings, index) : [])];
  });
}

function checkShell(command: RunCommand, index: number): EntryFault[] {
  const script = findScript([command.cmd, ...command.args.map(({ text }) => text)]);
  const text = script === undefined ? undefined : command.args[script - 1]?.text;
  if (script === undefined || text === undefined || !hasValue(text)) return [];
  return [{ path: ['commands', index, 'args', script - 1], message: SHELL_MESSAGE }];
}

/** Finds interpreters that run a model's text, from a file or from standard input. */
function checkInput({ commands, running, files = {} }: CommandsSettings, index: number): EntryFault[] {
  const command = commands[index];
  if (command === undefined || running.sandbox !== undefined) return [];
  const line = [command.cmd, ...command.args.map(({ text }) => text)];
  const at = line.findIndex((word, place) => place > 0 && !word.startsWith('-'));
  const [file] = parseTemplate(line[at] ?? '').placeholders;
  const isFile = file !== undefined && Object.hasOwn(files, file.name);
  const isRead = at === -1 && command.stdin !== undefined && hasValue(command.stdin);
  const interpreter = isFile || isRead ? findInterpreter(line.slice(0, at === -1 ? undefined : at)) : undefined;
  if (interpreter === undefined) return [];
  const path = ['commands', index, ...(isFile ? ['args', at - 1] : ['stdin'])];
  return [{ path, message: inputMessage(interpreter), severity: 'warning' }];
}

function hasValue(text: string): boolean {
  return spreadOf(text) !== undefined || parseTemplate(text).placeholders.length > 0;
}

/** Finds places where another command may run a model's value. */
function checkPrograms({ schema, commands }: CommandsSettings, index: number): EntryFault[] {
  const command = commands[index];
  if (command === undefined) return [];
  const line = [command.cmd, ...command.args.map(({ text }) => toLine(text, schema))];
  return command.args.flatMap((_arg, position): EntryFault[] => {
    if (line[position + 1]?.includes(VALUE) !== true) return [];
    const why = findProgramValue(line, position + 1);
    const path = ['commands', index, 'args', position];
    return why === undefined ? [] : [{ path, message: programMessage(why), severity: 'note' }];
  });
}

/** Returns a template with `VALUE` for arguments that may be any text. */
function toLine(text: string, schema: CommandsSettings['schema']): string {
  if (spreadOf(text) !== undefined) return VALUE;
  const { properties } = schema;
  return parseTemplate(text)
    .parts.map((part) => {
      if (typeof part === 'string') return part;
      const property = isPlainObject(properties) ? properties[part.name] : undefined;
      return isPlainObject(property) && !isOpen(property) ? 'value' : VALUE;
    })
    .join('');
}

function isOpen(property: Readonly<Record<string, unknown>>): boolean {
  const { type, enum: values, const: value, pattern, format } = property;
  const isText = type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'));
  return isText && values === undefined && value === undefined && pattern === undefined && format === undefined;
}
