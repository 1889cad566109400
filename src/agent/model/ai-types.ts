import type { Installed } from '../../tool/installed.ts';
/** @ts-ignore optional peer */
import type * as ai from 'ai';

/** A message, as far as it is known where the AI SDK is not installed. */
export interface AnyMessage {
  readonly role: string;
  readonly content: unknown;
}

/** A model, as far as it is known where the AI SDK is not installed. */
export interface AnyModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}

/** A message of a conversation: the AI SDK's own type where it is installed, as for all types here. */
export type ModelMessage = Installed<ai.ModelMessage, AnyMessage>;
/** What a model said. */
export type AssistantModelMessage = Installed<ai.AssistantModelMessage, AnyMessage>;
/** What tools answered. */
export type ToolModelMessage = Installed<ai.ToolModelMessage, AnyMessage>;
/** A model of the AI SDK, or the name of one. */
export type LanguageModel = Installed<ai.LanguageModel, string | AnyModel>;
/** Tokens that a model used. */
export type LanguageModelUsage = Installed<ai.LanguageModelUsage, Readonly<Record<string, unknown>>>;
/** Tools as the AI SDK takes them. */
export type ToolSet = Installed<ai.ToolSet, Record<string, unknown>>;

/** @ts-ignore optional peer: what the AI SDK's own module gives; `loadPeer` cannot know its types */
export type AiSdk = typeof import('ai');

type V4 = Extract<ai.LanguageModel, { readonly specificationVersion: 'v4' }>;
type V4Options = Parameters<V4['doGenerate']>[0];

/** A model as providers write them for the AI SDK. */
export type ModelV4 = Installed<V4, AnyModel>;
/** What a provider's model is asked. */
export type ModelCallOptions = Installed<V4Options, Readonly<Record<string, unknown>>>;
/** What a provider's model answers. */
export type GenerateResult = Installed<
  Awaited<ReturnType<V4['doGenerate']>>,
  { readonly finishReason: { readonly unified: string } }
>;
/** A part of an answer that comes in parts. */
export type StreamPart =
  Awaited<ReturnType<V4['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
/** A message as a provider gets it. */
export type PromptMessage = V4Options['prompt'][number];
/** A tool as a provider gets it. */
export type FunctionTool = Extract<NonNullable<V4Options['tools']>[number], { readonly type: 'function' }>;
