import type { JsonSchema } from '../tool/json.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Sections } from './features/section.ts';
import { BOARD_FRAME, BOARD_SECTIONS } from './schema.generated.ts';

/** Builds the JSON Schema of board files for these kinds of tools and sections of plugins. */
export function boardFileSchema(kinds: readonly Kind[], sections: Sections = {}): JsonSchema {
  const tools = { type: 'array', items: { oneOf: kinds.map(({ entrySchema }) => entrySchema) } };
  const own = Object.fromEntries(Object.entries(sections).map(([key, { schema }]) => [key, schema]));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...BOARD_FRAME.schema,
    properties: { ...BOARD_SECTIONS, tools, ...own },
  };
}

export function formatBoardSchema(kinds: readonly Kind[], sections: Sections = {}): string {
  return `${JSON.stringify(boardFileSchema(kinds, sections), undefined, 2)}\n`;
}
