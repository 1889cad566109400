import { readJsonSchema } from '../../tool/schema/read-json-schema.ts';
import { buildCommandLine } from './build-argv.ts';
import { readCli } from './cli-settings.ts';
import { cliInputSchema } from './cli-tool.ts';

/** Reads a `cli` entry and returns a function that builds the command line of a call; `undefined` for invalid arguments. */
export function lineBuilder(entry: object): (input: object) => readonly string[] | undefined {
  // A copy: the entry may be frozen, and the types require mutable lists.
  const written = JSON.parse(JSON.stringify(entry));
  const settings = readCli(written, { written: {}, folder: '.', env: {}, addSecrets: () => {}, addError: () => {} });
  const schema = readJsonSchema(cliInputSchema(settings));
  return (input) => {
    if (!schema.validate(input).ok) return undefined;
    try {
      return buildCommandLine(settings, { ...input }).argv;
    } catch {
      return undefined;
    }
  };
}
