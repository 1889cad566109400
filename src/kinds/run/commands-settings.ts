import type { z } from 'zod';
import { parseTemplate } from '../../platform/http/template/template.ts';
import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import type { ReadContext, ToolEntry } from '../kind.ts';
import { toTexts } from '../parse-units.ts';
import { type FileStyle, readRunning, type RunSettings } from '../running/run-settings.ts';
import type { runKeys } from './schema.ts';

/** A command of a `run` tool, with templates. */
export interface RunCommand {
  readonly cmd: string;
  readonly args: readonly { readonly text: string; readonly when: string | undefined }[];
  readonly workingDir: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Its standard input, with templates. */
  readonly stdin: string | undefined;
  readonly when: string | undefined;
}

/** Commands with templates, run in order. */
export interface CommandsSettings {
  readonly schema: JsonSchema;
  /** The arguments that are contents of files; `undefined` for none. */
  readonly files: Readonly<Record<string, FileStyle>> | undefined;
  readonly commands: readonly RunCommand[];
  readonly running: RunSettings;
}

/** An entry with `type: run`. */
export type RunEntry = ToolEntry<CommandsSettings>;

/** The working folder that a command names itself; `undefined` for none, and for one that a call chooses. */
export function fixedFolderOf({ workingDir }: RunCommand): string | undefined {
  return workingDir !== undefined && parseTemplate(workingDir).placeholders.length === 0 ? workingDir : undefined;
}

/** Returns the folder in which the program of a command is looked up: its own folder, unless a call chooses that. */
export function programFolderOf(command: RunCommand, { programFolder }: RunSettings): string | undefined {
  return fixedFolderOf(command) ?? programFolder;
}

export function readCommands(written: z.input<typeof runKeys>, context: ReadContext): CommandsSettings {
  return {
    schema: describeFiles(toObjectSchema(written.schema), written.files ?? {}),
    files: readFiles(written.files),
    commands: written.commands.map((command) => ({
      cmd: command.cmd,
      args: (command.args ?? []).map((arg) =>
        typeof arg === 'object'
          ? { text: arg.name, when: arg.when === undefined ? undefined : String(arg.when) }
          : { text: String(arg), when: undefined },
      ),
      workingDir: command.workingDir,
      env: toTexts(command.env),
      stdin: command.stdin,
      when: command.when === undefined ? undefined : String(command.when),
    })),
    running: readRunning(written, context),
  };
}

function readFiles(files: z.input<typeof runKeys>['files']): CommandsSettings['files'] {
  if (files === undefined) return undefined;
  const styles = Object.entries(files).map(([name, { extension = '', encoding = 'text' }]) => [
    name,
    { extension, encoding },
  ]);
  return Object.fromEntries(styles);
}

/** Makes the schema ask for contents: a model would send a path otherwise. */
function describeFiles(schema: JsonSchema, files: NonNullable<z.input<typeof runKeys>['files']>): JsonSchema {
  const { properties } = schema;
  if (!isPlainObject(properties)) return schema;
  const described = Object.entries(files).flatMap(([name, { encoding }]) => {
    const property = properties[name];
    if (!isPlainObject(property)) return [];
    const given = typeof property['description'] === 'string' ? `${property['description']} ` : '';
    const description = `${given}Send the contents${encoding === 'base64' ? ' as base64' : ''}, not a path.`;
    return [[name, { ...property, description }]];
  });
  return { ...schema, properties: { ...properties, ...Object.fromEntries(described) } };
}

/** Completes the arguments to a JSON Schema: files may omit `type`. Undeclared arguments are rejected. */
export function toObjectSchema(schema: JsonSchema = {}): JsonSchema {
  return {
    additionalProperties: false,
    ...schema,
    type: 'object',
    properties: isPlainObject(schema['properties']) ? schema['properties'] : {},
  };
}
