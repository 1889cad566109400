import { readFileSync, statSync, closeSync, type Dirent, openSync, readdirSync, readSync } from 'node:fs';
import { basename, resolve, extname, join } from 'node:path';
import { escapeText } from '../../../tool/texts/escape-variables.ts';
import { readYaml } from '../../../load/yaml/read-yaml.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import type { AddSource } from './add-source.ts';

/** `pegboard add ./docs`: adds a folder of documents as knowledge. */
export const folderSource: AddSource = {
  form: 'FOLDER',
  summary: 'documents that agents can search',
  matches: (word, { cwd }) => statSync(resolve(cwd, word), { throwIfNoEntry: false })?.isDirectory() === true,
  async plan(word, { shown }, { cwd }) {
    const name =
      basename(resolve(cwd, word))
        .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
        .replaceAll(/^-+|-+$/g, '') || 'documents';
    if (toolNames(resolve(cwd, shown)).includes(name)) {
      const message = `${shown} already has a tool "${name}". Index the folder into it: pegboard rag index ${word} --collection ${name}`;
      throw new ToolError({ code: 'already_exists', message });
    }
    const tool = {
      name,
      type: 'rag',
      // Titles may contain text that looks like a variable.
      description: escapeText(describeFolder(resolve(cwd, word))),
      collection: name,
      operations: ['search'],
    };
    return {
      summary: `the documents in ${word}, as the tool ${name}`,
      files: [],
      changes: [{ section: 'tools', append: [tool] }],
      notes: [`Index the documents with: pegboard rag index ${word} --collection ${name}`],
      asks: true,
    };
  },
};

function toolNames(file: string): readonly unknown[] {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
  const { value } = readYaml(readFileSync(file), file);
  const tools: unknown[] = isPlainObject(value) && Array.isArray(value['tools']) ? value['tools'] : [];
  return tools.map((tool) => (isPlainObject(tool) ? tool['name'] : undefined));
}

const MAX_TITLES = 6;
const MAX_TITLE = 60;
const MAX_FILES = 500;
/** The number of bytes searched for a document's title. */
const START = 4_096;

/** Describes a folder of documents to agents: its purpose and some titles. */
function describeFolder(folder: string): string {
  const files = listFiles(folder);
  const titles = [...new Set(files.slice(0, MAX_TITLES).map(titleOf))];
  const more = files.length - MAX_TITLES;
  const others = more <= 0 ? '' : ` and ${files.length === MAX_FILES ? 'many' : more} more`;
  const named = titles.length === 0 ? '' : `: ${titles.join(', ')}${others}`;
  return `Search the documents in ${toPlain(basename(folder))}${named}. Cite the file and the lines of each passage that you use.`;
}

/** Lists up to `MAX_FILES` files, starting at the top of the folder. */
function listFiles(top: string): readonly string[] {
  const files: string[] = [];
  const folders = [top];
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (files.length >= MAX_FILES) return files;
      if (entry.isDirectory() && folders.length < MAX_FILES) folders.push(join(folder, entry.name));
      else if (entry.isFile()) files.push(join(folder, entry.name));
    }
  }
  return files;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // An unreadable folder has no titles.
    return [];
  }
}

/** Returns the first heading of a Markdown file, or the file name as words. */
function titleOf(file: string): string {
  const heading = /\.(?:md|mdx|markdown)$/i.test(file) ? /^#\s+(.+)$/m.exec(readStart(file))?.[1] : undefined;
  return toPlain(heading ?? basename(file, extname(file)).replaceAll(/[-_]+/g, ' '));
}

/** Shortens a text to one line without markup and invisible characters. */
function toPlain(words: string): string {
  const plain = words
    .replaceAll(/[\p{C}\s`*]+/gu, ' ')
    .replace(/[\s#.]+$/, '')
    .trim();
  return plain.length > MAX_TITLE ? `${plain.slice(0, MAX_TITLE - 1).trimEnd()}…` : plain;
}

function readStart(file: string): string {
  const buffer = Buffer.alloc(START);
  try {
    const descriptor = openSync(file, 'r');
    try {
      return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, START, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // An unreadable document is listed by its file name.
    return '';
  }
}
