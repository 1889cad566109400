import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import type { Kind } from '../kinds/kind.ts';
import { CONFIG_SCHEMAS } from './schema.generated.ts';

/** The JSON Schema of a board file whose tools are of these kinds. */
export function boardFileSchema(kinds: readonly Kind[]): JsonSchema {
  const { properties, ...rest } = CONFIG_SCHEMAS.board;
  const tools = { type: 'array', items: { oneOf: kinds.map(({ entrySchema }) => entrySchema) } };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...rest,
    properties: { ...(isPlainObject(properties) ? properties : {}), tools },
  };
}

/** The same as the text of a file. */
export function formatBoardSchema(kinds: readonly Kind[]): string {
  return `${JSON.stringify(boardFileSchema(kinds), undefined, 2)}\n`;
}
