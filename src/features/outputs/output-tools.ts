import { HELPER_MARK } from '../../tool/tool-marks.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { outputsFor, type OutputStore } from '../../platform/outputs/output-store.ts';
import { compilePattern } from '../../tool/schema/pattern.ts';

/** Fits a model's limit, with room for JSON escapes. */
const PAGE_BYTES = 20_000;

const id = { type: 'string', description: 'The id shown where output was left out' } as const;

/** Returns the tools that page through outputs too large to return. */
export function outputTools(outputs: OutputStore): readonly Tool[] {
  return [
    defineTool({
      ...HELPER_MARK,
      name: 'output_read',
      description: 'Read some lines of an output that was too large to return whole.',
      category: 'utility',
      source: 'pegboard',
      risk: 'read',
      schema: {
        type: 'object',
        properties: {
          id,
          offset: {
            type: 'integer',
            default: 0,
            description: 'The first line to read; a negative one counts from the end',
          },
          lines: {
            type: 'integer',
            minimum: 1,
            maximum: 2000,
            default: 200,
            description: 'At most; a page ends after 20,000 bytes',
          },
        },
        required: ['id'],
        additionalProperties: false,
      },
      execute: (input, context) =>
        outputsFor(context, outputs).read(input.id, { offset: input.offset, lines: input.lines, bytes: PAGE_BYTES }),
    }),
    defineTool({
      ...HELPER_MARK,
      name: 'output_search',
      description: 'Find lines in an output that was too large to return whole, by text or by pattern.',
      category: 'utility',
      source: 'pegboard',
      risk: 'read',
      schema: {
        type: 'object',
        properties: {
          id,
          text: { type: 'string', minLength: 1, description: 'A text the lines contain' },
          pattern: {
            type: 'string',
            minLength: 1,
            description: 'A regular expression the lines match, instead of text',
          },
          limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
        },
        required: ['id'],
        additionalProperties: false,
      },
      execute: (input, context) =>
        outputsFor(context, outputs).search(input.id, { ...what(input), limit: input.limit }),
    }),
  ];
}

function what({
  pattern,
  text = '',
}: {
  readonly pattern?: string;
  readonly text?: string;
}): { text: string } | { pattern: (line: string) => boolean } {
  return pattern === undefined ? { text } : { pattern: compilePattern(pattern) };
}
