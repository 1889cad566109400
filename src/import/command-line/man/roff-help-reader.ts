import type { PageReader } from '../page-reader.ts';
import { parseMan } from './parse-man.ts';

/** Reads help that is written as a manual page. */
export const roffHelpReader: PageReader = {
  source: 'help',
  wants: () => true,
  async read(command, ask) {
    const { stdout } = await ask([...command, 'help']);
    return /^\.SH /m.test(stdout) ? { ...parseMan(stdout, command), sources: ['help'] } : undefined;
  },
};
