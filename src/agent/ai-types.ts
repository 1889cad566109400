// One place for the types of the AI SDK, an optional peer: they are `any` where it is not installed.
/** @ts-ignore optional peer */
import type { LanguageModel } from 'ai';
/** @ts-ignore optional peer */
import type { ModelMessage } from 'ai';
/** @ts-ignore optional peer */
import type { AssistantModelMessage } from 'ai';
/** @ts-ignore optional peer */
import type { ToolModelMessage } from 'ai';
/** @ts-ignore optional peer */
import type { ToolSet } from 'ai';
/** @ts-ignore optional peer */
import type { LanguageModelUsage } from 'ai';

export type { AssistantModelMessage, LanguageModel, LanguageModelUsage, ModelMessage, ToolModelMessage, ToolSet };

/** @ts-ignore optional peer: what the AI SDK's own module gives; `loadPeer` cannot know its types */
export type AiSdk = typeof import('ai');
