import { counted } from '../../../../tool/texts/counted.ts';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { variablesIn } from '../../../../load/variables/interpolate.ts';
import { secretSourceOf } from '../../../../load/variables/read-secret.ts';
import { readYaml } from '../../../../load/yaml/read-yaml.ts';
import type { Board } from '../../../../board/board.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import { ToolError } from '../../../../tool/tool-error.ts';
import { writeZip, type ZipFile } from '../../../../platform/zip/write-zip.ts';
import { findConfig } from '../../../../cli/shared/board/find-config.ts';
import { formatJson } from '../../../../cli/shared/cli-context.ts';
import { defineCommand, FILES_ARGUMENT, flag, valueOption } from '../../../../cli/shared/command.ts';
import { mergeServeSections } from '../serve/serve-settings.ts';
import { collectBoard, collectPegboard } from './collect-files.ts';
import { PLACES, writeManifest } from './write-manifest.ts';

export const bundle = defineCommand({
  name: 'bundle',
  description:
    'Packs the board into a .mcpb file that hosts such as Claude Desktop install with a click: the folder of the config, Pegboard and its packages. Leaves out secrets, data folders and everything that .gitignore or .mcpbignore names; the host asks for the variables of the config.',
  arguments: [FILES_ARGUMENT],
  options: {
    output: valueOption('FILE', 'The file to write (default: NAME.mcpb)', { short: 'o' }),
    author: valueOption('NAME', 'The author (default: the one in package.json)'),
    'dry-run': flag('Show the manifest and the files, without writing'),
  },
  examples: [
    ['pegboard bundle', 'pack the board of this folder'],
    ['pegboard bundle --dry-run', 'show what it would contain'],
  ],
  parse({ values, positionals, context }) {
    const [first = '', ...others] = findConfig([...positionals, ...values.file], context);
    const config = resolve(context.cwd, first);
    const folder = dirname(config);
    if (others.length > 0) throw misplaced('A bundle holds one board. Give one file, which may import others.');
    if ([homedir(), '/'].includes(folder))
      throw misplaced(`${folder} cannot be packed as the folder of a board. Move the board into a folder of its own.`);
    return { first, config, folder };
  },
  board: ({ parsed: { first } }) => ({ files: [first], servers: 'cached' }),
  run({ values, parsed: { config, folder }, context, board }) {
    const files = board.files.map(({ file }) => resolve(context.cwd, file));
    const outside = files.find((file) => !isBelow(file, folder));
    if (outside !== undefined)
      throw misplaced(`${outside} belongs to the board but is outside of ${folder}, so it cannot be packed.`);
    const author = values.author ?? readAuthor(folder);
    const section = mergeServeSections(board.files);
    const { redactor } = board.registry.executor;
    const written = writeManifest({
      board,
      section,
      config: relative(folder, config).split(sep).join('/'),
      needs: needsOf(board),
      author: author ?? 'unknown',
    });
    const manifest = redactor.data(written);
    const secretFiles = files.flatMap(secretFilesOf);
    const own = collectBoard(folder, { data: board.data, secretFiles }).map((file) => ({
      ...file,
      name: PLACES.board + file.name,
    }));
    const telling = own.filter(({ data }) => {
      const text = Buffer.from(data).toString('utf8');
      return redactor.text(text) !== text;
    });
    const notes = [
      ...telling.map(
        ({ name }) => `${name} contains a secret of the board, which everyone who gets the bundle can read.`,
      ),
      ...(author === undefined ? ['The author is unknown. Set it with --author NAME.'] : []),
      ...(board.plugins.length > 0
        ? ['Plugins from packages are not packed, because a bundle has no node_modules of its own.']
        : []),
    ];
    const remarks = notes.map((note) => `note: ${note}`);
    if (values['dry-run'])
      return {
        data: { manifest, files: own.map(({ name }) => name), notes },
        view: formatJson(manifest),
        notes: [...own.map(({ name, data }) => `${name} (${data.length} bytes)`), ...remarks],
      };
    const packed = pack(manifest, own);
    const output = values.output ?? `${String(manifest['name'])}.mcpb`;
    writeFileSync(resolve(context.cwd, output), packed);
    const sha256 = createHash('sha256').update(packed).digest('hex');
    const size = (packed.length / 1024 / 1024).toFixed(1);
    return {
      data: { written: output, bytes: packed.length, sha256, files: own.length, notes },
      view: `Wrote ${output}: ${counted(own.length, 'file')} of the board, ${size} MB, sha256 ${sha256}`,
      notes: remarks,
    };
  },
});

function pack(manifest: object, own: readonly ZipFile[]): Buffer {
  const server = collectPegboard().map((file) => ({ ...file, name: PLACES.server + file.name }));
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  return writeZip([{ name: 'manifest.json', data: Buffer.from(text) }, ...own, ...server]);
}

function secretFilesOf(config: string): string[] {
  const { value } = readYaml(readFileSync(config), config);
  const variables = isPlainObject(value) && isPlainObject(value['variables']) ? value['variables'] : {};
  const named = Object.values(variables).map((variable) => secretSourceOf(variable)?.['file']);
  const written = variablesIn(JSON.stringify(value) ?? '').map(({ name }) => /^file:(.*)/s.exec(name)?.[1]?.trim());
  return [...named, ...written].flatMap((path) => (typeof path === 'string' ? [resolve(dirname(config), path)] : []));
}

/** Lists the variables that the files use without a default. */
function needsOf({ files }: Board): string[] {
  return [...new Set(files.flatMap(({ needs }) => needs))].toSorted();
}

function readAuthor(folder: string): string | undefined {
  try {
    const { author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const name = isPlainObject(author) ? author['name'] : author;
    return typeof name === 'string' && name.trim() !== '' ? name.replace(/\s*[<(].*$/, '') : undefined;
  } catch {
    return undefined;
  }
}

function isBelow(file: string, folder: string): boolean {
  const way = relative(folder, file);
  return way !== '' && !way.startsWith('..');
}

function misplaced(message: string): ToolError {
  return new ToolError({ code: 'invalid_config', message });
}
