import { ToolError } from '../../tool/tool-error.ts';

/** A command line that says something it cannot mean; the exit code is 2. */
export class UsageError extends ToolError {
  /** The command whose help to read, when it is known. */
  readonly command: string | undefined;

  constructor(message: string, command?: string) {
    super({ code: 'invalid_arguments', message });
    this.name = 'UsageError';
    this.command = command;
  }
}
