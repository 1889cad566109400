import type { PageReader } from '../page-reader.ts';
import { parseMan } from './parse-man.ts';

/** Programs whose help is a manual page that they write themselves: `aws s3 cp help`. */
const PROGRAMS = new Set(['aws']);

/** Whether a command's help is a manual page of its own making. */
export function hasRoffHelp([program = '']: readonly string[]): boolean {
  return PROGRAMS.has(program.split('/').at(-1) ?? '');
}

/** Reads help that is written as a manual page. */
export const roffHelpReader: PageReader = {
  source: 'help',
  wants: () => true,
  async read(command, ask) {
    const { stdout } = await ask([...command, 'help']);
    return /^\.SH /m.test(stdout) ? { ...parseMan(stdout, command), sources: ['help'] } : undefined;
  },
};
