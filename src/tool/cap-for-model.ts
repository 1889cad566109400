import { isJsonOf } from './json.ts';
import { stripDeceiving } from './texts/reveal-hidden.ts';
import type { ModelOutput, ToolContent, ToolResult } from './tool-result.ts';

/** Default number of characters of a result for a model. */
const DEFAULT_LIMIT = 25_000;

/**
 * Limits a result for a model: its text keeps beginning and end, with a note between them that says where the rest is. Data stays complete
 * for programs. All exits to models (MCP, exporters, frameworks, agents) use this.
 */
export function capForModel(whole: ToolResult, given: ModelOutput = {}): ToolResult {
  if (isShort(whole) && given.limit === undefined && given.stripsDeceiving !== true) return whole;
  const { limit = DEFAULT_LIMIT, keep, stripsDeceiving } = { ...whole.modelOutput, ...given };
  const result = stripsDeceiving === true ? strip(whole) : whole;
  const { text, content, meta } = result;
  const isLong = text.length > limit;
  // Text that was cut before is already stored in full.
  const earlier = meta.truncated;
  if (!isLong && (content === undefined || !content.some(hasText))) return result;
  // JSON is one line; formatted, it can be searched and read in parts.
  const toKeep = (): string => (isData(result) ? JSON.stringify(result.data, undefined, 2) : text);
  const id = isLong && keep !== undefined ? (earlier?.id ?? keep(toKeep())) : undefined;
  const from = earlier?.from ?? text.length;
  const shown = isLong ? cut(text, limit, { id, from }) : text;
  let room = limit - shown.length;
  const capped = content?.map((block): ToolContent => {
    if (block.type !== 'resource' || block.resource.text === undefined) return block;
    const part = block.resource.text;
    const fits = Math.max(room, LEAST);
    const kept = part.length > fits ? cut(part, fits, { id: keep?.(part), from: part.length }) : part;
    room -= kept.length;
    return kept === part ? block : { ...block, resource: { ...block.resource, text: kept } };
  });
  const isSame = !isLong && capped?.every((block, index) => block === content?.[index]) === true;
  if (isSame) return result;
  const truncated = { from, to: shown.length, ...(id === undefined ? {} : { id }) };
  return result.with({ text: shown, content: capped, meta: isLong ? { ...meta, truncated } : meta });
}

/** Returns true for a result with one short text, like most. */
function isShort({ text, content, modelOutput }: ToolResult): boolean {
  return modelOutput === undefined && content === undefined && text.length <= DEFAULT_LIMIT;
}

/** Strips only texts; data is for programs. */
function strip(result: ToolResult): ToolResult {
  const content = result.content?.map((block): ToolContent => {
    if (block.type === 'text') return { ...block, text: stripDeceiving(block.text) };
    if (block.type !== 'resource' || block.resource.text === undefined) return block;
    return { ...block, resource: { ...block.resource, text: stripDeceiving(block.resource.text) } };
  });
  const modelOutput = { ...result.modelOutput, stripsDeceiving: false };
  return result.with({ text: stripDeceiving(result.text), content, modelOutput });
}

/** Characters of an embedded text to show even when the limit is used up. */
const LEAST = 500;

/** Keeps the beginning and the end of a text within a limit, cut at nearby lines. `from` is its full length. */
function cut(
  text: string,
  limit: number,
  { id, from }: { readonly id: string | undefined; readonly from: number },
): string {
  const room = Math.max(0, limit - NOTE);
  const head = endAtLine(text.slice(0, Math.ceil(room * 0.75)));
  const tail = startAtLine(text.slice(text.length - Math.floor(room * 0.25)));
  const missing = from - head.length - tail.length;
  const advice = id === undefined ? 'ask for less' : `read them with output_read or output_search, id "${id}"`;
  return `${head}\n[${count(missing)} of ${count(from)} characters left out: ${advice}]\n${tail}`;
}

/** Maximum characters of the note between beginning and end. */
const NOTE = 140;
/** The share of a piece to drop in order to cut it at a line. */
const GIVEN_UP = 0.2;

function endAtLine(piece: string): string {
  const end = piece.lastIndexOf('\n');
  if (end >= piece.length * (1 - GIVEN_UP)) return piece.slice(0, end);
  return isHigh(piece.charCodeAt(piece.length - 1)) ? piece.slice(0, -1) : piece;
}

function startAtLine(piece: string): string {
  const start = piece.indexOf('\n');
  if (start >= 0 && start <= piece.length * GIVEN_UP) return piece.slice(start + 1);
  return isLow(piece.charCodeAt(0)) ? piece.slice(1) : piece;
}

function isHigh(unit: number): boolean {
  return (unit & 0xfc_00) === 0xd8_00;
}

function isLow(unit: number): boolean {
  return (unit & 0xfc_00) === 0xdc_00;
}

function isData({ text, data }: ToolResult): boolean {
  return typeof data === 'object' && data !== null && isJsonOf(text, data);
}

function hasText(block: ToolContent): boolean {
  return block.type === 'resource' && block.resource.text !== undefined;
}

function count(characters: number): string {
  return characters.toLocaleString('en-US');
}
