import { expect, test } from 'vitest';
import { z } from 'zod';
import { toAiSdkTools } from '../ai-sdk.ts';
import { toLangChainTools } from '../langchain.ts';
import { ToolRegistry } from '../board/registry/tool-registry.ts';
import { toAnthropicTools } from '../export/anthropic.ts';
import { toGeminiTools } from '../export/gemini.ts';
import { toMcpTools } from '../export/mcp.ts';
import { toOpenAITools } from '../export/openai.ts';
import { generatePrompt } from '../export/prompt.ts';
import { defineTool } from '../tool/define/define-tool.ts';
import { toBoardParts } from './board-like.ts';

const ping = defineTool({ name: 'ping', description: 'Answer.', schema: z.object({}), execute: () => 'pong' });
const registry = new ToolRegistry().register(ping);
const board = { registry, pinned: ['ping'] };

test('a registry alone is a board, and a board is returned unchanged', () => {
  expect(toBoardParts(registry, 'test')).toEqual({ registry });
  expect(toBoardParts(board, 'test')).toBe(board);
});

test('a value without tools is rejected with the name of the called function', () => {
  // As code without types would pass it.
  for (const wrong of [undefined, null, 'pegboard.yaml', [], {}, { registry: {} }] as never[]) {
    expect(() => toBoardParts(wrong, 'startInspector')).toThrow(
      expect.objectContaining({
        code: 'invalid_arguments',
        message: expect.stringMatching(
          /^startInspector takes a board of openBoard, a ToolRegistry, or an object with a registry; got .+\.$/,
        ),
      }),
    );
  }
});

test('exporters accept a board like its registry', () => {
  expect(toOpenAITools(board).tools).toEqual(toOpenAITools(registry).tools);
  expect(toAnthropicTools(board).tools).toEqual(toAnthropicTools(registry).tools);
  expect(toGeminiTools(board).tools).toEqual(toGeminiTools(registry).tools);
  expect(toMcpTools(board).tools).toEqual(toMcpTools(registry).tools);
  expect(generatePrompt(board)).toBe(generatePrompt(registry));
  expect(Object.keys(toAiSdkTools(board))).toEqual(['ping']);
  expect(toLangChainTools(board).map(({ name }) => name)).toEqual(['ping']);
});
