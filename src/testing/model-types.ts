import type { LanguageModel } from '../agent/ai-types.ts';

/** A model as providers write them for the AI SDK. */
export type ModelV4 = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
export type ModelCallOptions = Parameters<ModelV4['doGenerate']>[0];
export type GenerateResult = Awaited<ReturnType<ModelV4['doGenerate']>>;
export type StreamResult = Awaited<ReturnType<ModelV4['doStream']>>;
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;
