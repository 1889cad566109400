import { knownOf } from '../packs/knowledge.ts';
import { toCommandForm } from './command-form.ts';
import type { CommandPage } from './command-page.ts';
import type { CliToolData } from './to-cli-tool.ts';

/** A tool whose command always has the flags that keep it quiet, where its page knows them; errors are still told. */
export function keepQuiet(tool: CliToolData, { command, options }: CommandPage): CliToolData {
  const [program = ''] = command;
  const flags = knownOf(program, 'always') ?? [];
  const known = new Set(options.flatMap((option) => option.flags));
  if (flags.length === 0 || command.length > 1 || !flags.every((flag) => known.has(flag))) return tool;
  return { ...tool, command: toCommandForm([...command, ...flags]) };
}
