import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { escapeText } from '../../../tool/texts/escape-variables.ts';
import { readYaml } from '../../../load/yaml/read-yaml.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import type { AddSource } from './add-source.ts';
import { describeFolder } from './describe-folder.ts';

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
