import { z } from 'zod';

const text = z.string().min(1);
const words = {
  title: text.describe('The name for people').optional(),
  description: text.optional(),
  icon: z
    .string()
    .regex(/^(https|data):/)
    .describe('An icon for people: an https or data address')
    .optional(),
};
const path = text.describe('A file, relative to this one');
const filled = z.string().describe('{{name}} stands for an argument');

/** A message of a prompt: a text, a file, an image, audio or a resource. */
const message = z.strictObject({
  role: z.enum(['user', 'assistant']).describe('Default: user').optional(),
  text: filled.optional(),
  file: path.optional(),
  image: path.optional(),
  audio: path.optional(),
  resource: z
    .union([
      text.describe('The address of a resource of the board'),
      z.strictObject({ uri: text, text: filled, mimeType: text.optional() }),
    ])
    .optional(),
});

export const promptsSection = z.array(
  z.strictObject({
    name: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/),
    ...words,
    arguments: z
      .array(
        z.strictObject({
          name: z.string().regex(/^[A-Za-z_][\w-]{0,63}$/),
          title: text.optional(),
          description: text.optional(),
          required: z.boolean().optional(),
          values: z.array(text).describe('Suggested values').optional(),
          ask: text.describe('The question for a person when the argument is missing').optional(),
        }),
      )
      .optional(),
    text: filled.optional(),
    file: path.describe('A file with the text, relative to this one; {{name}} stands for an argument').optional(),
    messages: z.array(message).min(1).optional(),
  }),
);

export const resourcesSection = z.array(
  z.strictObject({
    uri: text.describe('The address; with files it ends in {path}').optional(),
    template: text.describe('Addresses with {name} in them').optional(),
    name: text.optional(),
    ...words,
    mimeType: text
      .describe(
        'Default: by the ending of the file, or text/plain; of an address that begins with ui:, a page of MCP Apps',
      )
      .optional(),
    _meta: z
      .record(z.string(), z.unknown())
      .describe('Further data for MCP clients, such as ui.csp of a page')
      .optional(),
    text: z.string().describe('The content; {{name}} stands for a part of a template').optional(),
    file: path.optional(),
    files: text.describe('Files, as a glob relative to this file: each is a resource').optional(),
    tool: text.describe('A tool of the board whose result is the content').optional(),
    args: z
      .record(z.string(), z.unknown())
      .describe('Its arguments; {{name}} stands for a part of a template')
      .optional(),
    values: z.record(z.string(), z.array(text)).describe('Suggested values for parts of a template').optional(),
  }),
);
