// The tools of a small bakery's back office, in all three ways of writing one.
import { createHash } from 'node:crypto';
import { readdir, readFile, watch, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import * as v from 'valibot';
import { z } from 'zod';
import {
  createTool,
  defineTool,
  type Registrable,
  ToolCategory,
  ToolDefinition,
  ToolError,
  ToolParameter,
  ToolResult,
} from '../../src/index.ts';

/** Every tool of the bakery, at work in this folder and this database. */
export function bakeryTools(folder: string, database: DatabaseSync): Registrable[] {
  return [
    ...fileTools(folder),
    new FindInFiles(folder),
    new QueryOrders(database),
    hashText,
    md5Text,
    localTime,
    money,
  ];
}

/** Step by step with `createTool`, the input in zod. */
function fileTools(folder: string): Registrable[] {
  const inside = (path: string): string => {
    const full = join(folder, path);
    if (!relative(folder, full).startsWith('..')) return full;
    throw new ToolError({
      code: 'permission_denied',
      message: `${path} is outside the workspace. Use a path inside it.`,
    });
  };

  const readTool = createTool()
    .name('read_file')
    .description('Read the first lines of a text file.')
    .category(ToolCategory.FILE_SYSTEM)
    .tags(['file', 'text'])
    .schema(
      z.object({ path: z.string().describe('Path in the workspace'), lines: z.int().min(1).max(500).default(20) }),
    )
    .example({ description: 'The top of the menu', input: { path: 'menu.txt', lines: 2 } })
    .usageNotes('Ask for few lines first')
    .limitations(['UTF-8 text only'])
    .implement(async ({ path, lines }) => (await readFile(inside(path), 'utf8')).split('\n').slice(0, lines).join('\n'))
    .build();

  const writeTool = createTool()
    .name('write_file')
    .description('Write a text file, replacing what was there.')
    .category(ToolCategory.FILE_SYSTEM)
    .tags(['file', 'text'])
    .schema(z.object({ path: z.string(), text: z.string().max(10_000) }))
    .risk('write')
    .implement(async ({ path, text }) => {
      await writeFile(inside(path), text);
      return `${text.length} characters written to ${path}`;
    })
    .build();

  const waitTool = createTool()
    .name('wait_for_file')
    .description('Wait until a file appears in the workspace.')
    .category(ToolCategory.FILE_SYSTEM)
    .schema(z.object({ path: z.string() }))
    .timeout(250)
    .implement(async ({ path }, context) => {
      for await (const { filename } of watch(folder, { signal: context.signal })) if (filename === path) break;
      return `${path} is there`;
    })
    .build();

  return [readTool, writeTool, waitTool];
}

/** As a class, because it holds the folder. Its parameters become JSON Schema. */
class FindInFiles extends ToolDefinition<{ text: string }> {
  readonly #folder: string;
  constructor(folder: string) {
    super();
    this.#folder = folder;
  }
  name = () => 'find_in_files';
  description = () => 'Find the lines that contain a text.';
  override parameters = () => [ToolParameter.string('text', 'What to look for')];
  override options = () => ({ category: ToolCategory.FILE_SYSTEM, tags: ['search', 'text'] });
  async handle({ text }: { text: string }) {
    const found: string[] = [];
    for (const file of (await readdir(this.#folder)).toSorted()) {
      const lines = (await readFile(join(this.#folder, file), 'utf8')).split('\n');
      found.push(...lines.flatMap((line, at) => (line.includes(text) ? [`${file}:${at + 1}: ${line}`] : [])));
    }
    return found.length > 0 ? ToolResult.text(found.join('\n')) : ToolResult.error(`No line contains "${text}".`);
  }
}

/** As a class, because it holds a connection. */
class QueryOrders extends ToolDefinition<{ customer: string; min_total: number }> {
  readonly #database: DatabaseSync;
  constructor(database: DatabaseSync) {
    super();
    this.#database = database;
  }
  name = () => 'query_orders';
  description = () => 'List the orders of a customer.';
  override parameters = () => [
    ToolParameter.string('customer', 'Name of the customer'),
    ToolParameter.number('min_total', 'Only orders of at least this much', { default: 0 }),
  ];
  override options = () => ({ category: ToolCategory.DATABASE, tags: ['orders'] });
  handle({ customer, min_total }: { customer: string; min_total: number }) {
    const query = 'select item, total from orders where customer = ? and total >= ? order by total desc';
    return ToolResult.json(this.#database.prepare(query).all(customer, min_total));
  }
}

/** In one object with `defineTool`, the input in plain JSON Schema. */
const hashText = defineTool({
  name: 'hash_text',
  description: 'Fingerprint a text.',
  category: ToolCategory.CODE,
  tags: ['text', 'checksum'],
  schema: {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'The text to fingerprint' },
      algorithm: { enum: ['sha256', 'sha512'], default: 'sha256' },
    },
    required: ['text'],
    additionalProperties: false,
  },
  execute: ({ text, algorithm }) => createHash(algorithm).update(text).digest('hex').slice(0, 16),
});

const md5Text = defineTool({
  name: 'md5_text',
  description: 'Fingerprint a text with MD5.',
  category: ToolCategory.CODE,
  deprecated: true,
  replacedBy: 'hash_text',
  schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => createHash('md5').update(text).digest('hex').slice(0, 16),
});

/** In one object with `defineTool`, the input in valibot. */
const localTime = defineTool({
  name: 'local_time',
  description: 'Tell what time it is elsewhere.',
  category: ToolCategory.UTILITY,
  schema: v.object({ at: v.pipe(v.string(), v.isoTimestamp()), zone: v.optional(v.string(), 'UTC') }),
  execute: ({ at, zone }) => {
    const format = { timeZone: zone, weekday: 'long', hour: '2-digit', minute: '2-digit' } as const;
    return new Intl.DateTimeFormat('en-GB', format).format(new Date(at));
  },
});

const money = defineTool({
  name: 'format_money',
  description: 'Write an amount the way people do.',
  category: ToolCategory.UTILITY,
  schema: v.object({ amount: v.number(), currency: v.picklist(['EUR', 'GBP', 'USD']) }),
  execute: ({ amount, currency }) => new Intl.NumberFormat('en-GB', { style: 'currency', currency }).format(amount),
});
