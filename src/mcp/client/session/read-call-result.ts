import { isDeepStrictEqual } from 'node:util';
import { readMeta } from '../offers/offered-items.ts';
import { isObject, type JsonObject } from '../transports/transport.ts';
import { byteCount, type ToolContent, ToolResult } from '../../../tool/tool-result.ts';
import { ToolError } from '../../../tool/tool-error.ts';

/** Converts the answer to `tools/call` to a result, or to a failure that names the fault. */
export function readCallResult(answer: JsonObject): ToolResult {
  const plain = plainTextOf(answer);
  if (plain !== undefined) return ToolResult.text(plain);
  const { content, structuredContent, isError } = answer;
  const data = structuredContent ?? undefined;
  const read = readContent(content ?? undefined, data !== undefined || isError === true);
  const bytes = carriedBytes(read.blocks, data);
  const blocks = bytes.size === 0 ? read.blocks : read.blocks.map((block) => sayOnce(block, bytes));
  const only = blocks.length === 1 ? blocks[0] : undefined;
  const written =
    only?.type === 'text'
      ? only.text
      : blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  // A text block without other fields is the text of the result.
  const isPlain = blocks.length === 0 || (only?.type === 'text' && Object.keys(only).length === 2);
  const _meta = readResultMeta(answer['_meta']);
  const parts = { ...(isPlain ? {} : { content: blocks }), ...(_meta === undefined ? {} : { meta: { _meta } }) };
  if (isError === true) {
    const message = written === '' ? 'The tool failed without saying why.' : written;
    return ToolResult.from({ ...parts, text: message, error: new ToolError({ code: 'execution_failed', message }) });
  }
  if (read.fault !== undefined) return ToolResult.error(explainFault(read.fault, written));
  if (data === undefined) return ToolResult.from({ ...parts, text: written });
  // Data alone becomes JSON text; some servers repeat their content as data.
  const isSpoken = written !== '' || repeats(data, content);
  const text = isSpoken ? written : withoutBytes(JSON.stringify(data), bytes);
  return ToolResult.from({ ...parts, text, data, meta: { ...parts.meta, isStructured: true } });
}

/** Returns the text of an answer that is one plain text, as most are. */
function plainTextOf({ content, structuredContent, isError, _meta }: JsonObject): string | undefined {
  if (!Array.isArray(content) || content.length !== 1 || isError === true) return undefined;
  if ((structuredContent ?? undefined) !== undefined || _meta !== undefined) return undefined;
  const piece: unknown = content[0];
  if (!isObject(piece) || piece['type'] !== 'text') return undefined;
  const { text } = piece;
  return typeof text === 'string' && Object.keys(piece).length === 2 ? text : undefined;
}

/** The most characters of `_meta`; more is dropped. */
const MAX_META = 1024 * 1024;

function readResultMeta(value: unknown): JsonObject | undefined {
  const meta = readMeta(value);
  return meta !== undefined && JSON.stringify(meta).length > MAX_META ? undefined : meta;
}

function withReadMeta<T extends object>(value: T): T {
  if (!('_meta' in value)) return value;
  const { _meta, ...rest } = value;
  const kept = readMeta(_meta);
  // Only `_meta` changes.
  return (kept === undefined ? rest : { ...rest, _meta: kept }) as T;
}

interface ReadContent {
  readonly blocks: readonly ToolContent[];
  /** The reason why the answer is not a valid result. */
  readonly fault: string | undefined;
}

/** Reads the content of an answer. `isEnough`: the answer is valid without content. */
function readContent(content: unknown, isEnough: boolean): ReadContent {
  if (content === undefined)
    return { blocks: [], fault: isEnough ? undefined : 'it has neither content nor structuredContent' };
  if (!Array.isArray(content))
    return { blocks: [], fault: `its content is ${describe(content)}, not a list of pieces` };
  const blocks: ToolContent[] = [];
  const unknown = new Set<string>();
  let left = 0;
  let fault: string | undefined;
  for (const [index, piece] of content.entries()) {
    const read = readBlock(piece);
    if (read.type === 'known') blocks.push(read.block);
    else if (read.type === 'unknown') {
      unknown.add(read.name);
      left++;
      blocks.push({ type: 'text', text: `[A piece of the type ${read.name} is left out: it is not known here.]` });
    } else fault ??= `piece ${index + 1} of its content ${read.fault}`;
  }
  if (left === content.length && left > 0 && !isEnough)
    return {
      blocks: [],
      fault: `its content has only pieces of types that are not known here: ${[...unknown].join(', ')}`,
    };
  return { blocks, fault };
}

type ReadBlock =
  | { readonly type: 'known'; readonly block: ToolContent }
  /** A type that a later revision may define. */
  | { readonly type: 'unknown'; readonly name: string }
  | { readonly type: 'invalid'; readonly fault: string };

/** The text fields that each type requires. */
const NEEDED: Readonly<Record<ToolContent['type'], readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
  resource: ['uri'],
};

function readBlock(piece: unknown): ReadBlock {
  if (!isObject(piece)) return { type: 'invalid', fault: `is ${describe(piece)}, not an object` };
  const { type } = piece;
  if (typeof type !== 'string') return { type: 'invalid', fault: 'has no type' };
  if (!isKnownType(type)) {
    // A piece with a text can be read, whatever its type.
    const { text } = piece;
    if (typeof text === 'string') return { type: 'known', block: { type: 'text', text } };
    return { type: 'unknown', name: JSON.stringify(type.slice(0, 40)) };
  }
  const holder = type === 'resource' ? piece['resource'] : piece;
  if (!isObject(holder)) return { type: 'invalid', fault: '(resource) has no resource' };
  const missing = NEEDED[type].filter((key) => typeof holder[key] !== 'string');
  if (type === 'resource' && typeof holder['text'] !== 'string' && typeof holder['blob'] !== 'string')
    missing.push('text or blob');
  if (missing.length > 0)
    return { type: 'invalid', fault: `(${type}) has no ${missing.join(' and no ')} that is a text` };
  const inner = type === 'resource' ? { resource: withReadMeta(holder) } : {};
  // Other fields pass through except those that the protocol reserves; the shape was checked above.
  return { type: 'known', block: { ...withReadMeta(piece), ...inner } as unknown as ToolContent };
}

function isKnownType(type: string): type is ToolContent['type'] {
  return Object.hasOwn(NEEDED, type);
}

function explainFault(fault: string, written: string): ToolError {
  const rest = written === '' ? '' : ` This is the text in it:\n${written}`;
  const message = `The server's answer is no valid result: ${fault}. The tool may have run.${rest}`;
  return new ToolError({ code: 'execution_failed', message });
}

function sayOnce(block: ToolContent, bytes: ReturnType<typeof carriedBytes>): ToolContent {
  if (block.type !== 'text') return block;
  const text = withoutBytes(block.text, bytes);
  return text === block.text ? block : { ...block, text };
}

/** Returns true when data only repeats the content, as server-filesystem does with images. */
function repeats(data: unknown, content: unknown): boolean {
  if (!isObject(data) || !Array.isArray(content) || content.length === 0) return false;
  const values = Object.values(data);
  return values.length === 1 && isDeepStrictEqual(values[0], content);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Base64 texts of a result, each with its replacement. */
type CarriedBytes = ReadonlyMap<string, string>;

/** Shorter texts stay. */
const LEAST = 256;
const MAX_DEPTH = 20;
const RUNS = /[\w+/-]+={0,2}/g;

/** Finds the images, sounds and files in a result's content and data. */
export function carriedBytes(blocks: readonly ToolContent[], data: unknown): CarriedBytes {
  const found = new Map<string, string>();
  const look = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return;
    if (isObject(value)) {
      const { mimeType, data: own, blob } = value;
      const base64 = typeof blob === 'string' ? blob : typeof mimeType === 'string' ? own : undefined;
      if (typeof base64 === 'string' && base64.length >= LEAST) {
        const name = `[${typeof mimeType === 'string' ? mimeType : 'bytes'}, ${byteCount(base64).toLocaleString('en-US')} bytes]`;
        // Some servers send a data URL, or several lines.
        for (const [run] of base64.matchAll(RUNS)) if (run.length >= LEAST) found.set(run, name);
      }
    }
    for (const item of Object.values(value)) look(item, depth + 1);
  };
  for (const block of blocks) if (block.type !== 'text') look(block, 0);
  look(data, 0);
  return found;
}

/**
 * Replaces base64 texts that the result carries elsewhere. Scans the text once: a server may send thousands of images with many
 * megabytes of text.
 */
export function withoutBytes(text: string, carried: CarriedBytes): string {
  if (carried.size === 0) return text;
  return text.replaceAll(RUNS, (run) => (run.length < LEAST ? run : (carried.get(run) ?? run)));
}
