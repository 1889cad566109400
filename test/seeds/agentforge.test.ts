// The TypeScript twin of every sample in the AgentForge tool registry document.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StructuredTool } from '@langchain/core/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTool, type Tool, ToolCategory, ToolExecutionError, ToolRegistry } from '../../src/index.ts';

const readFileTool = createTool()
  .name('read-file')
  .displayName('Read File')
  .description('Read the contents of a file from the file system')
  .category(ToolCategory.FILE_SYSTEM)
  .tags(['file', 'read', 'io'])
  .schema(
    z.object({
      path: z.string().describe('Path to the file to read'),
      encoding: z.enum(['utf-8', 'ascii', 'base64']).default('utf-8'),
    }),
  )
  .example({
    description: 'Read a text file',
    input: { path: './README.md', encoding: 'utf-8' },
    output: '# My Project\n\nWelcome to...',
  })
  .example({ description: 'Read a binary file as base64', input: { path: './image.png', encoding: 'base64' } })
  .usageNotes('Paths are relative to the current working directory')
  .limitations(['Cannot read files larger than 10MB', 'Requires read permissions'])
  .implement(async ({ path, encoding }) => {
    const fs = await import('node:fs/promises');
    return await fs.readFile(path, encoding);
  })
  .build();

const writeFileTool = createTool()
  .name('write-file')
  .description('Write content to a file')
  .category(ToolCategory.FILE_SYSTEM)
  .schema(z.object({ path: z.string(), content: z.string() }))
  .implement(async ({ path, content }) => {
    await writeFile(path, content);
  })
  .build();

const httpTool = createTool()
  .name('http-request')
  .description('Make an HTTP request')
  .category(ToolCategory.WEB)
  .schema(z.object({ url: z.url() }))
  .implement(({ url }) => url)
  .build();

const searchTool = createTool()
  .name('search')
  .description('Search the code')
  .category(ToolCategory.CODE)
  .schema(z.object({ query: z.string() }))
  .implement(({ query }) => query)
  .build();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  await writeFile(join(folder, 'test.txt'), 'test content');
});
afterAll(() => rm(folder, { recursive: true }));

function makeRegistry(): ToolRegistry {
  const registry = new ToolRegistry();
  registry.register(readFileTool);
  registry.register(writeFileTool);
  registry.registerMany([searchTool, httpTool]);
  return registry;
}

describe('builder', () => {
  it('keeps every piece of metadata', () => {
    expect(readFileTool.metadata).toEqual({
      name: 'read-file',
      displayName: 'Read File',
      description: 'Read the contents of a file from the file system',
      category: 'file-system',
      tags: ['file', 'read', 'io'],
      examples: [
        {
          description: 'Read a text file',
          input: { path: './README.md', encoding: 'utf-8' },
          output: '# My Project\n\nWelcome to...',
        },
        { description: 'Read a binary file as base64', input: { path: './image.png', encoding: 'base64' } },
      ],
      usageNotes: 'Paths are relative to the current working directory',
      limitations: ['Cannot read files larger than 10MB', 'Requires read permissions'],
    });
  });

  it('takes version, author and deprecation too', () => {
    const old = createTool()
      .name('old')
      .description('Old')
      .schema(z.object({}))
      .version('1.0.0')
      .author('Ada')
      .deprecated('new')
      .implement(() => 1)
      .build();
    expect(old.metadata).toMatchObject({ version: '1.0.0', author: 'Ada', deprecated: true, replacedBy: 'new' });
  });

  it('has the seven categories of the document', () => {
    expect(ToolCategory).toEqual({
      FILE_SYSTEM: 'file-system',
      WEB: 'web',
      CODE: 'code',
      DATABASE: 'database',
      API: 'api',
      UTILITY: 'utility',
      CUSTOM: 'custom',
    });
  });

  it('refuses a name with spaces', () => {
    // @ts-expect-error the other steps are missing too
    expect(() => createTool().name('invalid name with spaces').build()).toThrow(
      'name must be 1 to 128 of A-Z a-z 0-9 _ . - (no spaces); got "invalid name with spaces"',
    );
  });
});

describe('registry', () => {
  it('queries as in the usage example', () => {
    const registry = makeRegistry();
    expect(registry.get('read-file')).toBe(readFileTool);
    expect(registry.getByCategory(ToolCategory.FILE_SYSTEM)).toEqual([readFileTool, writeFileTool]);
    expect(registry.search('file')).toEqual([readFileTool, writeFileTool]);
    expect(registry.getByTag('io')).toEqual([readFileTool]);
    expect(registry.has('search')).toBe(true);
    expect(registry.remove('search')).toBe(true);
    expect(registry.remove('search')).toBe(false);
    expect(registry.getAll()).toHaveLength(3);
  });

  it('generates the documented prompt', () => {
    const registry = makeRegistry();
    registry.remove('search');
    expect(
      registry.generatePrompt({
        includeExamples: true,
        includeNotes: true,
        groupByCategory: true,
        maxExamplesPerTool: 1,
      }),
    ).toBe(`Available Tools:

FILE SYSTEM TOOLS:
- read-file: Read the contents of a file from the file system
  Parameters: path (string), encoding (utf-8|ascii|base64, optional, default: utf-8)
  Example: Read a text file
    Input: { "path": "./README.md", "encoding": "utf-8" }
  Notes: Paths are relative to the current working directory

- write-file: Write content to a file
  Parameters: path (string), content (string)

WEB TOOLS:
- http-request: Make an HTTP request
  Parameters: url (string)`);
  });

  it('converts to LangChain tools', async () => {
    const [langChainTool] = makeRegistry().toLangChainTools();
    expect(langChainTool).toBeInstanceOf(StructuredTool);
    expect(await langChainTool?.invoke({ path: join(folder, 'test.txt') })).toBe('test content');
    expect(readFileTool.toLangChainTool()).toBeInstanceOf(StructuredTool);
  });
});

describe('read-file tool', () => {
  it('should read file contents', async () => {
    const result = await readFileTool.execute({ path: join(folder, 'test.txt'), encoding: 'utf-8' });
    expect(result).toBe('test content');
  });

  it('should validate input', async () => {
    // @ts-expect-error a number is not a path
    await expect(readFileTool.execute({ path: 123 })).rejects.toThrow(z.ZodError);
    // @ts-expect-error no such field
    await expect(readFileTool.execute({ invalid: 'input' })).rejects.toBeInstanceOf(z.ZodError);
  });

  it('tells a failing tool from bad input', async () => {
    const failure = await (readFileTool as Tool)
      .execute({ path: join(folder, 'missing.txt') })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ToolExecutionError);
    expect(failure).not.toBeInstanceOf(z.ZodError);
    expect(failure).toMatchObject({ code: 'execution_failed', toolName: 'read-file', cause: { code: 'ENOENT' } });
  });
});
