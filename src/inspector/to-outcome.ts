import type { ToolContent, ToolResult } from '../tool/tool-result.ts';
import type { AnswerPart, CallAnswer, CallOutcome } from './api-types.ts';
import { foldText } from './show-json.ts';

/** Image types that run no code, unlike SVG. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;
const AUDIO = /^audio\/[\w.+-]+$/;

/** Summarizes the end of a call, for lists. */
export function toOutcome({ ok, text, error, meta }: ToolResult): CallOutcome {
  return {
    ok,
    text: foldText(text),
    length: text.length,
    notices: meta.notices ?? [],
    ...(error === undefined
      ? {}
      : {
          error: {
            code: error.code,
            message: error.message,
            issues: error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
          },
        }),
  };
}

/** Returns the full result of a call, for the page that made it. */
export function toAnswer(result: ToolResult): CallAnswer {
  const { meta, data, content = [] } = result;
  return {
    ...toOutcome(result),
    text: result.text,
    callId: meta.callId ?? '',
    durationMs: meta.durationMs ?? 0,
    ...(data === undefined ? {} : { data }),
    parts: content.flatMap(toPart),
  };
}

/** Converts content; plain texts are already in the answer's text. */
function toPart(block: ToolContent): AnswerPart[] {
  switch (block.type) {
    case 'text':
      return [];
    case 'image':
      return [{ type: IMAGE.test(block.mimeType) ? 'image' : 'file', mimeType: block.mimeType, data: block.data }];
    case 'audio':
      return [{ type: AUDIO.test(block.mimeType) ? 'audio' : 'file', mimeType: block.mimeType, data: block.data }];
    case 'resource_link': {
      const { uri, name, description = '', mimeType = '' } = block;
      return [{ type: 'link', uri, name, description, mimeType }];
    }
    case 'resource': {
      const { uri, mimeType = '', text, blob } = block.resource;
      if (text !== undefined) return [{ type: 'text', text, uri, mimeType }];
      return [{ type: 'file', mimeType, data: blob ?? '', uri }];
    }
  }
}
