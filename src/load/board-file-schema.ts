import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Sections } from './features/section.ts';
import { CONFIG_SCHEMAS } from './schema.generated.ts';

/** Builds the JSON Schema of board files for these kinds of tools and sections of plugins. */
export function boardFileSchema(kinds: readonly Kind[], sections: Sections = {}): JsonSchema {
  const { properties, ...rest } = CONFIG_SCHEMAS.board;
  const tools = { type: 'array', items: { oneOf: kinds.map(({ entrySchema }) => entrySchema) } };
  const own = Object.fromEntries(Object.entries(sections).map(([key, { schema }]) => [key, schema]));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...rest,
    properties: { ...(isPlainObject(properties) ? properties : {}), tools, ...own },
  };
}

export function formatBoardSchema(kinds: readonly Kind[], sections: Sections = {}): string {
  return `${JSON.stringify(boardFileSchema(kinds, sections), undefined, 2)}\n`;
}
