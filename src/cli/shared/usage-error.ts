import { ToolError } from '../../tool/tool-error.ts';

/** An error in the command line; the exit code is 2. */
export class UsageError extends ToolError {
  /** The command whose help applies, if known. */
  readonly command: string | undefined;

  constructor(message: string, command?: string) {
    super({ code: 'invalid_arguments', message });
    this.name = 'UsageError';
    this.command = command;
  }
}
