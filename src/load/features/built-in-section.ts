import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { CONFIG_SCHEMAS } from '../schema.generated.ts';
import type { Merge, Section } from './section.ts';

/** A section of Pegboard's own, whose schema is generated from zod at build time. */
export function builtInSection<T, M extends Merge>(key: string, merge: M): Section<T, M> {
  return {
    get schema(): JsonSchema {
      const { properties } = CONFIG_SCHEMAS.board;
      const schema = isPlainObject(properties) ? properties[key] : undefined;
      if (!isPlainObject(schema)) throw new Error(`The schema of board files has no section "${key}".`);
      return schema;
    },
    merge,
  };
}
