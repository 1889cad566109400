import { isJsonOf } from './json.ts';
import { stripDeceiving } from './texts/reveal-hidden.ts';
import type { ModelOutput, ToolContent, ToolResult } from './tool-result.ts';

/** Characters of a result that a model gets, unless a board says otherwise. */
const DEFAULT_LIMIT = 25_000;

/**
 * What a model gets of a result: the text within its limit, beginning and end with a note between that says where the
 * rest is. Data stays whole: it is for programs. Every edge towards models (MCP, exporters, frameworks, agents) uses this.
 */
export function capForModel(whole: ToolResult, given: ModelOutput = {}): ToolResult {
  if (isShort(whole) && given.limit === undefined && given.stripsDeceiving !== true) return whole;
  const { limit = DEFAULT_LIMIT, keep, stripsDeceiving } = { ...whole.modelOutput, ...given };
  const result = stripsDeceiving === true ? strip(whole) : whole;
  const { text, content, meta } = result;
  const isLong = text.length > limit;
  // What was cut before is kept as a whole already.
  const earlier = meta.truncated;
  if (!isLong && (content === undefined || !content.some(hasText))) return result;
  // JSON is one line; written over many, it can be read in parts and searched.
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

/** Whether a result is one text that every model may get, as most are. */
function isShort({ text, content, modelOutput }: ToolResult): boolean {
  return modelOutput === undefined && content === undefined && text.length <= DEFAULT_LIMIT;
}

/** Only texts change; data is for programs. */
function strip(result: ToolResult): ToolResult {
  const content = result.content?.map((block): ToolContent => {
    if (block.type === 'text') return { ...block, text: stripDeceiving(block.text) };
    if (block.type !== 'resource' || block.resource.text === undefined) return block;
    return { ...block, resource: { ...block.resource, text: stripDeceiving(block.resource.text) } };
  });
  const modelOutput = { ...result.modelOutput, stripsDeceiving: false };
  return result.with({ text: stripDeceiving(result.text), content, modelOutput });
}

/** Characters of an embedded text that are shown even when nothing is left of the limit. */
const LEAST = 500;

/** The beginning and the end of a text within a limit, cut at lines where there are some near; `from` is its whole length. */
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

/** Characters that the note between beginning and end may take. */
const NOTE = 140;
/** The part of a piece that may be given up to end or start it at a line. */
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
