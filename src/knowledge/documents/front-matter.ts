import { load } from 'js-yaml';
import { parse } from 'smol-toml';
import { isPlainObject } from '../../tool/json.ts';

/** The front matter of a Markdown file. */
export interface FrontMatter {
  readonly title?: string | undefined;
  /** The subject of the document, such as `tutorial`; any word is allowed. */
  readonly type?: string | undefined;
  /** Tags, keywords and categories. */
  readonly tags: readonly string[];
}

/** A text without its front matter, but with the same number of lines. */
export interface TextWithFront {
  readonly text: string;
  readonly front: FrontMatter | undefined;
}

const MAX_FRONT = 20_000;
const MAX_TITLE = 300;
const MAX_TAGS = 50;
const MAX_TAG = 100;
const START = /^(---|\+\+\+)[ \t]*\r?\n/;
const END: Readonly<Record<string, RegExp>> = {
  '---': /^(?:---|\.\.\.)[ \t]*\r?(?:\n|$)/m,
  '+++': /^\+\+\+[ \t]*\r?(?:\n|$)/m,
};
const TAGS = ['tags', 'tag', 'keywords', 'category', 'categories'];
/** A plain line of front matter that is not quite YAML, such as `title: Part 1: Start`. */
const LINE = /^([A-Za-z][\w-]*)[ \t]*:[ \t]+(\S.*?)[ \t]*$/gm;

/**
 * Removes the front matter of a text: YAML between `---`, or TOML between `+++`. A description stays as the first
 * paragraph.
 *
 * Lines between rules that are not keys and values are text and stay.
 */
export function takeFrontMatter(text: string): TextWithFront {
  const [opening, mark = ''] = START.exec(text) ?? [];
  if (opening === undefined) return { text, front: undefined };
  const end = END[mark]?.exec(text.slice(opening.length, opening.length + MAX_FRONT));
  if (end === null || end === undefined) return { text, front: undefined };
  const fields = readFields(mark, text.slice(opening.length, opening.length + end.index));
  if (fields === undefined) return { text, front: undefined };
  const length = opening.length + end.index + end[0].length;
  const lines = text.slice(0, length).split('\n').length - 1;
  const description = oneLine(fields['description'] ?? fields['summary']);
  const head = lines < 2 ? '\n'.repeat(lines) : `${description}${'\n'.repeat(lines)}`;
  return {
    text: head + text.slice(length),
    front: {
      title: oneLine(fields['title']).slice(0, MAX_TITLE) || undefined,
      type: oneLine(fields['type'] ?? fields['category']).toLowerCase() || undefined,
      tags: [...new Set(TAGS.flatMap((key) => toTags(fields[key])))].slice(0, MAX_TAGS),
    },
  };
}

/** Returns `undefined` for content that is not a table of fields. */
function readFields(mark: string, content: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const fields: unknown = mark === '+++' ? parse(content) : (load(content) ?? {});
    return isPlainObject(fields) && !Object.keys(fields).some(isProse) ? fields : undefined;
  } catch {
    const lines = [...content.matchAll(LINE)];
    const isTable = content.split('\n').every((line) => /^(?:\s|#|-\s|[A-Za-z][\w-]*[ \t]*:|$)/.test(line));
    // Prose between two rules has other lines.
    if (mark === '+++' || !isTable || lines.length === 0) return undefined;
    return Object.fromEntries(
      lines.map(([, key = '', value = '']) => [key.toLowerCase(), value.replace(/^(["'])(.*)\1$/, '$2')]),
    );
  }
}

/** Detects prose before a colon, which YAML reads as a key. */
function isProse(key: string): boolean {
  return key.length > 60 || /[.!?,]\s|\n/.test(key);
}

function oneLine(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() : '';
}

/** Reads a list of words, or one text with commas. */
function toTags(value: unknown): string[] {
  const items = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.replace(/^\[|\]$/g, '').split(',')
      : [value];
  return items
    .filter((item) => typeof item === 'string' || typeof item === 'number')
    .map((item) => String(item).replaceAll('\0', '').replaceAll(/\s+/g, ' ').trim())
    .filter((tag) => tag !== '' && tag.length <= MAX_TAG);
}
