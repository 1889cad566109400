import { isAbsolute, relative, resolve } from 'node:path';
import { type CliToolData, toCommandForm } from '../../../import/command-line/to-cli-tool.ts';

/**
 * Rewrites the relative path of a tool's program for a file in another folder. A board looks for `./ops.py` beside the file that
 * says so. Names in PATH and absolute paths stay.
 */
export function placeCommand(
  tool: CliToolData,
  { from, to }: { readonly from: string; readonly to: string },
): CliToolData {
  const [program = '', ...words] = typeof tool.command === 'string' ? tool.command.split(' ') : tool.command;
  if (!program.includes('/') || isAbsolute(program) || from === to) return tool;
  const near = relative(to, resolve(from, program)).replaceAll('\\', '/');
  const placed = isAbsolute(near) || near.startsWith('../') ? near : `./${near}`;
  return { ...tool, command: toCommandForm([placed, ...words]) };
}
