import type { ToolMetadata } from '../tool/tool-metadata.ts';

/** What goes into a description besides the tool's own words. */
export interface DescribeOptions {
  /** Whether usage notes and limitations are appended. Default: true. */
  readonly notes?: boolean | undefined;
  /** Sentences about how the arguments were rewritten. */
  readonly remarks?: readonly string[];
  /** The provider's name for another tool. */
  readonly providerName?: (name: string) => string | undefined;
}

/** The description a model reads: deprecation first, then the tool's own words, notes and limitations. */
export function describeTool(metadata: ToolMetadata, options: DescribeOptions = {}): string {
  const notes = options.notes === false ? [] : [metadata.usageNotes, limitations(metadata.limitations)];
  const parts = [deprecation(metadata, options), metadata.description, ...notes, ...(options.remarks ?? [])];
  return parts
    .map((part) => part?.trim() ?? '')
    .filter((part) => part !== '')
    .map((part, index, all) => (index < all.length - 1 || index > 0 ? sentence(part) : part))
    .join(' ');
}

/** Cuts a text at a word so that it fits, `…` included. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength - 1);
  const lastSpace = cut.lastIndexOf(' ');
  const words = lastSpace > maxLength / 2 ? cut.slice(0, lastSpace) : cut;
  // A cut must not leave half of a character pair behind.
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
