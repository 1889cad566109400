// Checked by `npm run types`: narrowing of results.
import { expectTypeOf } from 'vitest';
import type { ToolError } from './tool-error.ts';
import { type ToolFailure, ToolResult, type ToolSuccess } from './tool-result.ts';

declare const result: ToolResult<{ sum: number }>;

if (result.ok) {
  expectTypeOf(result.data).toEqualTypeOf<{ sum: number }>();
  expectTypeOf(result.error).toEqualTypeOf<undefined>();
} else {
  expectTypeOf(result.error).toEqualTypeOf<ToolError>();
  expectTypeOf(result.data).toEqualTypeOf<undefined>();
}
if (result.failed()) expectTypeOf(result).toEqualTypeOf<ToolFailure>();
else expectTypeOf(result.data).toEqualTypeOf<{ sum: number }>();
if (result.succeeded()) expectTypeOf(result.data).toEqualTypeOf<{ sum: number }>();
else expectTypeOf(result.error).toEqualTypeOf<ToolError>();
// @ts-expect-error a call may have failed
void result.data.sum;
// @ts-expect-error a call may have succeeded
void result.error.code;

expectTypeOf(ToolResult.text('a')).toEqualTypeOf<ToolSuccess<undefined>>();
expectTypeOf(ToolResult.json({ sum: 1 })).toEqualTypeOf<ToolSuccess<{ sum: number }>>();
expectTypeOf(ToolResult.error('a')).toEqualTypeOf<ToolFailure>();
expectTypeOf(ToolResult.content([])).toEqualTypeOf<ToolSuccess<undefined>>();
expectTypeOf(ToolResult.content([], 1)).toEqualTypeOf<ToolSuccess<number>>();
expectTypeOf(ToolResult.from({ text: '' })).toEqualTypeOf<ToolResult>();

declare const value: unknown;
if (value instanceof ToolResult) expectTypeOf(value).toEqualTypeOf<ToolResult>();
