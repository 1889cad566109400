import { isPlainObject } from '../../tool/json.ts';
import { type Dialect, PEGBOARD_KEYS } from './detect-dialect.ts';

/** A key that speaks for another dialect than the one the file is read as, and what to do about it. */
export interface MixedDialects {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Says why a file that mixes ctx's tools with what only Pegboard's files have is read as it is; `undefined` for a file that
 * mixes nothing. Without it, its author only hears that a key that is right elsewhere is not known.
 */
export function explainDialect(value: Readonly<Record<string, unknown>>, dialect: Dialect): MixedDialects | undefined {
  const tools: unknown[] = Array.isArray(value['tools']) ? value['tools'] : [];
  const withId = tools.findIndex((tool) => isPlainObject(tool) && 'id' in tool && !('name' in tool));
  if (withId < 0) return undefined;
  if (dialect === 'pegboard') {
    const key = PEGBOARD_KEYS.find((candidate) => candidate in value);
    if (key === undefined) return undefined;
    const message = `"id" is what ctx calls a tool's name, and "${key}" makes this a Pegboard file. Write "name" for "id" in its tools, or put "${key}" into a file of its own that imports this one.`;
    return { path: ['tools', withId, 'id'], message };
  }
  const withName = tools.findIndex((tool) => isPlainObject(tool) && 'name' in tool && !('id' in tool));
  if (dialect !== 'ctx' || withName < 0) return undefined;
  const message = `this file is read as one of ctx's, because tools[${withId}] has "id" in place of "name". Write "name" for "id" in its tools to make it a Pegboard file, or put tools[${withName}] into a file of its own.`;
  return { path: ['tools', withId, 'id'], message };
}
