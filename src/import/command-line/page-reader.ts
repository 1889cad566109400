import type { Ask } from './ask-command.ts';
import type { CommandPage, PageSource } from './command-page.ts';

/** One way to learn about a command. */
export interface PageReader {
  readonly source: PageSource;
  /** Whether it can add something to what is known already. */
  wants(page: CommandPage): boolean;
  /** What it finds; `undefined` for nothing. */
  read(command: readonly string[], ask: Ask): Promise<CommandPage | undefined>;
}
