import { ConvertedText } from './converted-text.ts';
import { DocumentRefusal } from './document-refusal.ts';
import type { StructuredText } from './section.ts';

/** Characters kept of the outputs of one cell. */
const MAX_OUTPUT = 2_000;

/** Reads a Jupyter notebook: its texts and code, and the printed output, without images. */
export async function readNotebook(text: string): Promise<StructuredText> {
  const notebook = parse(text);
  const converted = new ConvertedText();
  const language = languageOf(notebook);
  for (const [index, cell] of cellsOf(notebook).entries()) {
    const source = toText(cell['source'] ?? cell['input']);
    converted.mark(index + 1);
    if (cell['cell_type'] === 'markdown') converted.markdown(source.trim());
    else if (cell['cell_type'] === 'heading') converted.heading(Number(cell['level']) || 1, source);
    else if (cell['cell_type'] === 'code') {
      if (source.trim() !== '') converted.markdown(fence(source, language));
      const printed = toList(cell['outputs']).map(outputText).join('\n').trim();
      if (printed !== '') converted.markdown(fence(cutOutput(printed), ''));
    } else converted.paragraph(source);
  }
  return converted.end('is a notebook without words');
}

function parse(text: string): Fields {
  let notebook: unknown;
  try {
    notebook = JSON.parse(text);
  } catch {
    throw new DocumentRefusal('is not a notebook: it is not JSON');
  }
  if (!isFields(notebook)) throw new DocumentRefusal('is not a notebook: it has no cells');
  return notebook;
}

/** Returns the cells; version 3 has them in worksheets. */
function cellsOf(notebook: Fields): Fields[] {
  const sheets = toList(notebook['worksheets']).flatMap((sheet) => toList(sheet['cells']));
  const cells = [...toList(notebook['cells']), ...sheets];
  if (cells.length === 0 && !Array.isArray(notebook['cells']))
    throw new DocumentRefusal('is not a notebook: it has no cells');
  return cells;
}

function languageOf({ metadata }: Fields): string {
  const info = isFields(metadata) ? (metadata['language_info'] ?? metadata['kernelspec']) : undefined;
  const name = isFields(info) ? (info['name'] ?? info['language']) : undefined;
  return typeof name === 'string' && /^[\w+#-]{1,30}$/.test(name) ? name : '';
}

function outputText(output: Fields): string {
  if (output['output_type'] === 'error' || output['output_type'] === 'pyerr')
    return `${toText(output['ename'])}: ${toText(output['evalue'])}`;
  const data = isFields(output['data']) ? output['data'] : output;
  return toText(data['text/markdown'] ?? data['text/plain'] ?? data['text']);
}

function cutOutput(text: string): string {
  return text.length <= MAX_OUTPUT
    ? text
    : `${text.slice(0, MAX_OUTPUT)}\n… (${text.length - MAX_OUTPUT} more characters)`;
}

/** Writes code between fences that it does not contain itself. */
function fence(code: string, language: string): string {
  let marks = '```';
  for (const [ticks] of code.matchAll(/`{3,}/g)) if (ticks.length >= marks.length) marks = `${ticks}\``;
  return `${marks}${language}\n${code.trimEnd()}\n${marks}`;
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toList(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Reads a text, which is one string or a list of lines with their ends. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}
