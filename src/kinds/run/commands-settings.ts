import type { z } from 'zod';
import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import type { ReadContext, ToolEntry } from '../kind.ts';
import { toTexts } from '../parse-units.ts';
import { readRunning, type RunSettings } from '../running/run-settings.ts';
import type { runKeys } from './schema.ts';

/** A command of a `run` tool, with templates. */
export interface RunCommand {
  readonly cmd: string;
  readonly args: readonly { readonly text: string; readonly when: string | undefined }[];
  readonly workingDir: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly when: string | undefined;
}

/** Commands with templates, one after the other. */
export interface CommandsSettings {
  readonly schema: JsonSchema;
  readonly commands: readonly RunCommand[];
  readonly running: RunSettings;
}

/** An entry with `type: run`. */
export type RunEntry = ToolEntry<CommandsSettings>;

/** Reads the keys of an entry with `type: run`. */
export function readCommands(written: z.input<typeof runKeys>, context: ReadContext): CommandsSettings {
  return {
    schema: toObjectSchema(written.schema),
    commands: written.commands.map((command) => ({
      cmd: command.cmd,
      args: (command.args ?? []).map((arg) =>
        typeof arg === 'object'
          ? { text: arg.name, when: arg.when === undefined ? undefined : String(arg.when) }
          : { text: String(arg), when: undefined },
      ),
      workingDir: command.workingDir,
      env: toTexts(command.env),
      when: command.when === undefined ? undefined : String(command.when),
    })),
    running: readRunning(written, context),
  };
}

/** The arguments of a tool as a whole JSON Schema: files may leave `type` out. Arguments that are not declared are refused. */
export function toObjectSchema(schema: JsonSchema = {}): JsonSchema {
  return {
    additionalProperties: false,
    ...schema,
    type: 'object',
    properties: isPlainObject(schema['properties']) ? schema['properties'] : {},
  };
}
