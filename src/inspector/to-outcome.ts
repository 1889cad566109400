import type { ToolResult } from '../core/tool-result.ts';
import type { CallAnswer, CallOutcome } from './api-types.ts';
import { foldText } from './show-json.ts';

/** Pictures that run nothing, unlike SVG. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;

/** How a call ended, for a list of many. */
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

/** How a call ended, for whoever made it: nothing left out. */
export function toAnswer(result: ToolResult): CallAnswer {
  const { meta, data, content = [] } = result;
  return {
    ...toOutcome(result),
    text: result.text,
    callId: meta.callId ?? '',
    durationMs: meta.durationMs ?? 0,
    ...(data === undefined ? {} : { data }),
    images: content.flatMap((block) => (block.type === 'image' && IMAGE.test(block.mimeType) ? [block] : [])),
  };
}
