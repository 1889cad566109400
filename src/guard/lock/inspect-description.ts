import { findHidden, revealHidden } from '../../tool/texts/reveal-hidden.ts';

/** A part of a text that the user of a tool should review. */
export interface TextFinding {
  /** The place in the definition: `description`, `inputSchema.properties.path.description`. */
  readonly where: string;
  /** The kind of finding. */
  readonly kind: 'hidden text' | 'control character' | 'direction mark' | 'instruction';
  /** The finding with some surrounding text, with hidden characters visible. */
  readonly what: string;
}

type Kind = TextFinding['kind'];

/** The effect of each group of hidden characters; the first match is reported. */
const hiddenGroups = (): readonly (readonly [RegExp, Kind, string])[] => [
  [/[\u{E0000}-\u{E007F}]/u, 'hidden text', 'characters of the tags block, which models read and people do not see'],
  [/[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/u, 'direction mark', 'a mark that turns the direction of the text'],
  [/[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/u, 'hidden text', 'variation selectors, which can carry data'],
  [/[\u2028\u2029]/u, 'control character', 'a line separator'],
  [/\p{Cc}/u, 'control character', 'a control character'],
  [/\p{Cs}/u, 'hidden text', 'half of a character'],
  [/[\p{Co}\p{Cn}]/u, 'hidden text', 'a private or unassigned character'],
  [/[^]/u, 'hidden text', 'a character without width'],
];
const MAX_OF_A_KIND = 3;

/** Sentences that address the model instead of describing the tool. */
const INSTRUCTIONS: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|other|all|any|system)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|messages?|context|directives?)\b/giu,
    'tells the model to ignore its instructions',
  ],
  [/<\/?\s*(?:system|important|instructions?|secret|assistant|user|admin|s)\s*>/giu, 'has a tag as in a prompt'],
  [/\b(?:system prompt|developer message)\b/giu, 'speaks of the system prompt'],
  [
    /\b(?:do not|don['’]t|never|without)\b[^.\n]{0,25}\b(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|show(?:ing)?|notify(?:ing)?|alert(?:ing)?|disclos(?:e|ing))\b[^.\n]{0,30}\b(?:user|human|person|anyone|anybody)\b/giu,
    'wants something kept from the user',
  ],
  [
    /\b(?:before|after|whenever|instead of|prior to)\b[^.\n]{0,30}\b(?:using|calling|invoking|you (?:use|call|invoke))\b[^.\n]{0,30}\b(?:any|other|every|all|another|this|the)\b[^.\n]{0,30}\btools?\b[^.\n]{0,60}\b(?:must|always|need to|have to|should|first|required)\b/giu,
    'gives orders about when other tools are called',
  ],
  [
    /\b(?:you|the (?:model|assistant|agent|ai|llm))\s+(?:must|should|shall|have to|need to|are required to)\s+(?:always |first |also |now )?(?:read|send|include|pass|forward|copy|upload|post|call|use|attach|append|output|execute|run)\b[^.\n]{0,80}\b(?:file|files|key|keys|secrets?|tokens?|passwords?|credentials?|contents?|conversation|history|\.env|ssh|config(?:uration)?)\b/giu,
    'tells the model to hand over files, secrets or the conversation',
  ],
  [
    /(?:~\/|\/home\/\w+\/|\$HOME\/)\.(?:ssh|aws|gnupg|config|netrc|cursor|claude)\b|\bid_rsa\b|\/etc\/(?:passwd|shadow)\b|\.aws\/credentials\b/giu,
    'names a place where secrets are kept',
  ],
  [
    /\b(?:when|if|after|before)\b[^.\n]{0,40}\b(?:the )?(?:tool|function)s? ["'`]?[\w.-]+["'`]?[^.\n]{0,40}\b(?:must|always|change|replace|redirect|send|bcc|recipient)\b/giu,
    'changes how another tool is used',
  ],
  [/\byou are (?:now|no longer)\b/giu, 'gives the model another role'],
];

const AROUND = 24;
const MAX_FINDINGS = 20;
const MAX_TEXT = 200_000;

/** Finds parts of a text that are hidden from people or address the model. */
export function inspectText(where: string, text: string): TextFinding[] {
  const read = text.slice(0, MAX_TEXT);
  const counts = new Map<string, number>();
  const hidden = findHidden(read).flatMap((run): TextFinding[] => {
    const [, kind, what] = hiddenGroups().find(([pattern]) => pattern.test(run.text)) ?? [undefined, 'hidden text', ''];
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    return count > MAX_OF_A_KIND ? [] : [{ where, kind, what: `${what}: ${excerpt(read, run)}` }];
  });
  // Characters hidden between letters must not disguise a sentence.
  const plain = read.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC');
  const said = INSTRUCTIONS.flatMap(([pattern, what]) =>
    [...plain.matchAll(pattern)].slice(0, 1).map((match) => ({
      where,
      kind: 'instruction' as const,
      what: `${what}: ${excerpt(plain, { index: match.index, text: match[0] })}`,
    })),
  );
  return [...hidden, ...said].slice(0, MAX_FINDINGS);
}

/** Checks every text of a tool's definition, including argument names. */
export function inspectDefinition(definition: unknown): TextFinding[] {
  const findings: TextFinding[] = [];
  const visit = (value: unknown, where: string): void => {
    if (findings.length >= MAX_FINDINGS) return;
    if (typeof value === 'string') findings.push(...inspectText(where, value));
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      const place = Array.isArray(value) ? `${where}[${key}]` : where === '' ? key : `${where}.${key}`;
      if (!Array.isArray(value)) findings.push(...inspectText(`${place} (its name)`, key));
      visit(item, place);
    }
  };
  visit(definition, '');
  return findings.slice(0, MAX_FINDINGS);
}

function excerpt(text: string, found: { readonly index: number; readonly text: string }): string {
  const start = Math.max(0, found.index - AROUND);
  const end = Math.min(text.length, found.index + found.text.length + AROUND);
  // Halves of surrogate pairs at the ends result from cutting, not from the text.
  const cut = text
    .slice(start, end)
    .replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
    .replaceAll(/[\t\n\r ]+/g, ' ');
  return `"${start > 0 ? '…' : ''}${revealHidden(cut)}${end < text.length ? '…' : ''}"`;
}
