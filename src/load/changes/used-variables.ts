import { isPlainObject } from '../../tool/json.ts';
import { variablesIn } from '../variables/interpolate.ts';
import { secretSourceOf } from '../variables/read-secret.ts';

interface VariableUse {
  /** The variables of the file, as written. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Hashes the file of this name. */
  readonly readHash: (name: string) => string;
  /** True when the content of a file with a secret may change. */
  readonly rotates: boolean;
}

/** Returns the variables of the file and the files that a value is made with, each with its definition or a hash of its content. */
export function usedVariables(value: unknown, use: VariableUse): Readonly<Record<string, string>> {
  const { variables, readHash, rotates } = use;
  const found = new Map<string, string>();
  const follow = (text: string): void => {
    for (const { name } of variablesIn(text)) {
      if (found.has(name)) continue;
      if (name.startsWith('file:')) found.set(name, readHash(name.slice('file:'.length).trim()));
      else if (Object.hasOwn(variables, name)) {
        const definition = variables[name];
        const file = secretSourceOf(definition)?.['file'];
        const content = typeof file === 'string' && !rotates ? ` ${readHash(file)}` : '';
        found.set(name, `${JSON.stringify(definition)}${content}`);
        for (const inner of textsIn(definition)) follow(inner);
      }
    }
  };
  for (const text of textsIn(value)) follow(text);
  return Object.fromEntries(found);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isPlainObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
