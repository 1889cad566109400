import { readFile } from 'node:fs/promises';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';

/** An agent's instructions: a text, a file, or a function of the run's context. */
export type SystemPrompt =
  | string
  | { readonly file: string }
  | ((context: ToolContext) => string | undefined | Promise<string | undefined>);

/** Returns the text of a system prompt. Throws `invalid_arguments` for a file that cannot be read. */
export async function readSystem(system: SystemPrompt | undefined, context: ToolContext): Promise<string | undefined> {
  if (system === undefined || typeof system === 'string') return system;
  if (typeof system === 'function') return system(context);
  try {
    return await readFile(system.file, 'utf8');
  } catch (cause) {
    const reason = messageOf(cause);
    const message = `The system prompt ${system.file} cannot be read: ${reason}.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'system', cause });
  }
}
