import type { SchemaNode } from '../../tool/parameters/schema-node.ts';

const HINTS: Readonly<Record<string, readonly string[]>> = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'minProperties',
    'maxProperties',
    'propertyNames',
  ],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'],
  string: ['pattern', 'minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/** The type an author had in mind who wrote keywords of one type and no `type`; empty when there is no telling. */
export function guessTypes(node: SchemaNode): string[] {
  const first = Object.entries(HINTS).find(([, keywords]) => keywords.some((keyword) => keyword in node));
  return first === undefined ? [] : [first[0]];
}
