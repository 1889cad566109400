import type { CommandPage } from '../command-page.ts';
import type { CliToolData } from '../to-cli-tool.ts';

/** So many that the file stays readable. */
const MAX_UTTERANCES = 6;
const SHORTEST = 12;
const LONGEST = 100;
/** Beginnings of sentences that then say what a person wants. */
const OPENING =
  /^(?:(?:or|and|then|finally|alternatively),? )?(?:if you (?:want|need|would like) to|you (?:can|may)(?: also)?|use (?:this|it) to|(?:in order )?to|(?:the|this) (?:following )?(?:command|example)s?(?: will)?) /i;
/** Clauses of a description that say what a command is for. */
const PURPOSE =
  /\b(?:so that|in order to|(?:can be|is|are|often) used (?:to|for)|useful (?:to|for|when|if)|allows? (?:you |users? )?to|lets? you|for example,? (?:to|when)) ([^.;:()]{12,100}?)(?=[.;:),]|$)/gi;
/** Sentences that only make sense behind others. */
const DEPENDENT =
  /^(?:but|or|and|now|however|suppose|for example|after|when|if|this|that|these|those|it|here|again|note|see|instead|which|you should|as above|same)\b/i;

/**
 * Finds requests of people who need a tool on its page: headings of examples, and purposes in its description. Search looks for them.
 */
export function toUtterances(page: CommandPage, { description, examples = [] }: CliToolData): string[] {
  // Search counts what follows the first sentence for little: a purpose that stands there is said again.
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
