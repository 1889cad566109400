import type { ClosedRules, Rewritten } from './closed-context.ts';
import { withRemark } from './constraint-text.ts';

/** A place where `null` is the only value. */
export function nullOnly(description: string, rules: ClosedRules): Rewritten {
  const schema =
    rules.nulls === 'type'
      ? { type: 'null', ...(description === '' ? {} : { description }) }
      : { type: 'string', description: withRemark(description, 'always null') };
  return { schema, nullable: true, undo: undefined, onlyNull: true };
}
