import { ToolError } from '../tool/tool-error.ts';

/** The error for a value that cannot be used: which, why, and what to send instead. */
export function refuseInput(field: string, reason: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message: `${field}: ${reason}`, field, reason });
}
