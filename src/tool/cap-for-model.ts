import { isJsonOf } from './json.ts';
import type { ModelOutput, ToolContent, ToolResult } from './tool-result.ts';

/** Characters of a result that a model gets, unless a board says otherwise. */
const DEFAULT_LIMIT = 25_000;

/**
 * What a model gets of a result: the text within its limit, beginning and end with a note between that says where the
 * rest is. Data stays whole: it is for programs. Every edge towards models (MCP, exporters, frameworks, agents) uses this.
 */
export function capForModel(result: ToolResult, given: ModelOutput = {}): ToolResult {
  const { limit = DEFAULT_LIMIT, keep } = { ...result.modelOutput, ...given };
  const { text, content } = result;
  const isLong = text.length > limit;
  if (!isLong && (content === undefined || !content.some(hasText))) return result;
  // JSON is one line; written over many, it can be read in parts and searched.
  const whole = (): string => (isData(result) ? JSON.stringify(result.data, undefined, 2) : text);
  const shown = isLong ? cut(text, limit, () => keep?.(whole())) : text;
  let room = limit - shown.length;
  const capped = content?.map((block): ToolContent => {
    if (block.type !== 'resource' || block.resource.text === undefined) return block;
    const part = block.resource.text;
    const kept = part.length > Math.max(room, LEAST) ? cut(part, Math.max(room, LEAST), () => keep?.(part)) : part;
    room -= kept.length;
    return kept === part ? block : { ...block, resource: { ...block.resource, text: kept } };
  });
  const isSame = !isLong && capped?.every((block, index) => block === content?.[index]) === true;
  if (isSame) return result;
  const truncated = isLong ? { truncated: { from: text.length, to: shown.length } } : {};
  return result.with({ text: shown, content: capped, meta: { ...result.meta, ...truncated } });
}

/** Characters of an embedded text that are shown even when nothing is left of the limit. */
const LEAST = 500;

/** The beginning and the end of a text within a limit, cut at lines where there are some near. */
function cut(text: string, limit: number, keep: () => string | undefined): string {
  const id = keep();
  const room = Math.max(0, limit - NOTE);
  const head = endAtLine(text.slice(0, Math.ceil(room * 0.75)));
  const tail = startAtLine(text.slice(text.length - Math.floor(room * 0.25)));
  const missing = text.length - head.length - tail.length;
  const advice = id === undefined ? 'ask for less' : `read them with output_read or output_search, id "${id}"`;
  return `${head}\n[${count(missing)} of ${count(text.length)} characters left out: ${advice}]\n${tail}`;
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
