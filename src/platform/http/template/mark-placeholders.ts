import type { Placeholder, Template, TemplatePart } from './template.ts';

/** Stands for a placeholder while a template is taken apart by its literal text. */
export const MARK = '\0';

/** A template's text with one mark for each placeholder. */
export function markPlaceholders({ parts }: Template): string {
  return parts.map((part) => (typeof part === 'string' ? part.replaceAll(MARK, '') : MARK)).join('');
}

/** Turns slices of a marked text back into parts. Slices must come in the text's order, each once. */
export function createTaker(placeholders: readonly Placeholder[]): (slice: string) => TemplatePart[] {
  let next = 0;
  return (slice) => {
    const parts: TemplatePart[] = [];
    for (const [index, literal] of slice.split(MARK).entries()) {
      const placeholder = index === 0 ? undefined : placeholders[next++];
      if (placeholder !== undefined) parts.push(placeholder);
      if (literal !== '') parts.push(literal);
    }
    return parts;
  };
}
