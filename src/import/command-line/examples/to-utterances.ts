import type { CommandPage } from '../command-page.ts';
import type { CliToolData } from '../to-cli-tool.ts';

/** Few enough to keep the file readable. */
const MAX_UTTERANCES = 6;
const SHORTEST = 12;
const LONGEST = 100;
/** Sentence openings that precede a user's request. */
const OPENING =
  /^(?:(?:or|and|then|finally|alternatively),? )?(?:if you (?:want|need|would like) to|you (?:can|may)(?: also)?|use (?:this|it) to|(?:in order )?to|(?:the|this) (?:following )?(?:command|example)s?(?: will)?) /i;
/** Clauses of a description that state a command's purpose. */
const PURPOSE =
  /\b(?:so that|in order to|(?:can be|is|are|often) used (?:to|for)|useful (?:to|for|when|if)|allows? (?:you |users? )?to|lets? you|for example,? (?:to|when)) ([^.;:()]{12,100}?)(?=[.;:),]|$)/gi;
/** Sentences that make no sense on their own. */
const DEPENDENT =
  /^(?:but|or|and|now|however|suppose|for example|after|when|if|this|that|these|those|it|here|again|note|see|instead|which|you should|as above|same)\b/i;

/** Finds user requests for a tool on its page: headings of examples, and purposes in its description. Search uses them. */
export function toUtterances(page: CommandPage, { description, examples = [] }: CliToolData): string[] {
  // Search gives little weight to text after the first sentence, so a purpose there is repeated.
  const [first = ''] = description.split(/(?<=[.])\s/, 1);
  const known = [first, ...examples.map((example) => example.description)].map(plain);
  const told = [
    ...(page.purposes ?? []),
    ...[...(page.details ?? '').matchAll(PURPOSE)].map(([, clause = '']) => clause),
  ];
  const found = new Map<string, string>();
  for (const text of told) {
    const said = text
      .trim()
      .replace(OPENING, '')
      .replace(/(?:,? you (?:can|could|may|should) \w+)?[.:,]?$/i, '');
    const key = plain(said);
    const isWish =
      said.length >= SHORTEST && said.length <= LONGEST && /^[A-Za-z]+ /.test(said) && !DEPENDENT.test(said);
    if (isWish && !known.some((one) => one.includes(key))) found.set(key, said);
  }
  return [...found.values()].slice(0, MAX_UTTERANCES);
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();
}
