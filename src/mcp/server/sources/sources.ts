import type { ToolIcon } from '../../../tool/tool-metadata.ts';
import type { ToolContent } from '../../../tool/tool-result.ts';
import type { Access } from '../caller.ts';
import type { McpPeer } from '../peer.ts';

/** An icon that clients may show. */
export interface McpIcon extends ToolIcon {
  readonly theme?: 'light' | 'dark';
}

/** A prompt as `prompts/list` returns it. */
export interface PromptListing {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
  readonly icons?: readonly McpIcon[];
}

/** The text of a prompt. */
export interface PromptText {
  readonly description?: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: ToolContent }[];
}

/** A resource as `resources/list` returns it. */
export interface ResourceListing {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly icons?: readonly McpIcon[];
}

/** A group of resources as `resources/templates/list` returns it. */
export interface ResourceTemplateListing {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** The content of a resource: text, or bytes in base64. */
export interface ResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

/** The sender of a request, and a way to ask it. */
export interface SourceRequest {
  /** Distinguishes callers; empty if callers are not identified. */
  readonly caller: string;
  readonly access: Access;
  readonly peer: McpPeer;
}

/** An argument that is being typed. */
export interface CompletedArgument {
  readonly name: string;
  readonly value: string;
}

/** A source of prompts. `get` and `complete` return `undefined` for unknown names. */
export interface PromptSource {
  list(access: Access): readonly PromptListing[];
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    request: SourceRequest,
  ): PromptText | undefined | Promise<PromptText | undefined>;
  complete?(name: string, argument: CompletedArgument, access: Access): readonly string[] | undefined;
}

/** A source of resources. `read` and `complete` return `undefined` for unknown addresses. */
export interface ResourceSource {
  list(access: Access): readonly ResourceListing[];
  templates(): readonly ResourceTemplateListing[];
  read(
    uri: string,
    request: SourceRequest,
  ): readonly ResourceContent[] | undefined | Promise<readonly ResourceContent[] | undefined>;
  complete?(template: string, argument: CompletedArgument, access: Access): readonly string[] | undefined;
}
