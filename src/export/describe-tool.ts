import type { ToolMetadata } from '../tool/tool-metadata.ts';

/** Additions to a tool's own description. */
export interface DescribeOptions {
  /** Appends usage notes and limitations. Default: true. */
  readonly notes?: boolean | undefined;
  /** Sentences about rewritten arguments. */
  readonly remarks?: readonly string[];
  /** Returns the provider's name for another tool. */
  readonly providerName?: (name: string) => string | undefined;
}

/** Returns the description for models: deprecation first, then the tool's own text, notes and limitations. */
export function describeTool(metadata: ToolMetadata, options: DescribeOptions = {}): string {
  const notes = options.notes === false ? [] : [metadata.usageNotes, limitations(metadata.limitations)];
  const parts = [deprecation(metadata, options), metadata.description, ...notes, ...(options.remarks ?? [])];
  return parts
    .map((part) => part?.trim() ?? '')
    .filter((part) => part !== '')
    .map((part, index, all) => (index < all.length - 1 || index > 0 ? sentence(part) : part))
    .join(' ');
}

/** Cuts a text at a word boundary so that it fits, including `…`. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength - 1);
  const lastSpace = cut.lastIndexOf(' ');
  const words = lastSpace > maxLength / 2 ? cut.slice(0, lastSpace) : cut;
  // A cut must not split a surrogate pair.
  return `${words
    .trimEnd()
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`;
}

function deprecation({ deprecated, replacedBy }: ToolMetadata, options: DescribeOptions): string {
  if (!deprecated) return '';
  if (!replacedBy) return 'Deprecated.';
  return `Deprecated: use "${options.providerName?.(replacedBy) ?? replacedBy}" instead.`;
}

function limitations(list: readonly string[] = []): string {
  return list.length === 0 ? '' : `Limitations: ${list.map((item) => item.replace(/\.$/, '')).join('; ')}.`;
}

function sentence(text: string): string {
  return /[.!?…:)\]}"'`]$/.test(text) ? text : `${text}.`;
}
