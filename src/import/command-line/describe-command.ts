import type { CommandPage, PageOption } from './command-page.ts';

const MAX_DESCRIPTION = 300;

/** Remarks of yargs and Click after the text of an argument, which repeat its type. */
const REMARKS = /\s*\[(?:required|string|boolean|number|array|count)\](?=\s*(?:\[|$))/g;

/** Describes an argument, preceded by its short flags. */
export function described(description: string, { flags, name }: Partial<PageOption> = {}): { description?: string } {
  // The first flag names the argument, unless it has its own name.
  const letters = (flags ?? []).slice(name === undefined ? 1 : 0).filter((flag) => /^-[^-]$/.test(flag));
  const said = description.replaceAll(REMARKS, '');
  const text = `${letters.length === 0 ? '' : `(${letters.join(', ')}) `}${said}`.trim();
  return text === '' ? {} : { description: shorten(text) };
}

/** Sentences that only refer to further reading. */
const BOILERPLATE =
  /^(?:for (?:more|a (?:complete|full))|see\b|please\b|use "|run "|more info|find more|note:?)|\b(?:man page|--help)\b/i;

/** Describes a command, with as many further sentences of its page as fit. */
export function describeCommand(about: string, { command, details = '' }: CommandPage): string {
  // `Show commit logs` and `Shows the commit logs.` count as the same text.
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replaceAll(/\b(?:the|an?)\b|[^a-z0-9]+/g, ' ')
      .replaceAll(/s\b/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
  let text = about;
  const sentences = details.match(/.+?[.](?=\s+[A-Z]|$)/g) ?? [];
  // `Enabling hooks the unit into …, so that it is started on boot` explains `enable`, wherever it appears.
  const doing = new RegExp(
    String.raw`^\s*${(command.at(-1) ?? '').replace(/e$|\W.*$/, '')}ing\b.*\b(?:so that|for example|in order to)\b`,
    'i',
  );
  const explaining = sentences
    .slice(1)
    .filter((sentence) => doing.test(sentence))
    .slice(0, 1);
  for (const sentence of [...sentences.slice(0, 1), ...explaining, ...sentences.slice(1)]) {
    const next = sentence.trim();
    if (BOILERPLATE.test(next)) continue;
    if (plain(text).includes(plain(next))) continue;
    // `Install a package` and `Install a package with all it needs.`: only the longer one.
    if (text === about && plain(next).startsWith(`${plain(about)} `) && next.length <= MAX_DESCRIPTION) {
      text = next;
      continue;
    }
    const longer = `${text.replace(/[.]?$/, '.')} ${next}`;
    if (longer.length > MAX_DESCRIPTION) break;
    text = longer;
  }
  return shorten(text);
}

function shorten(text: string): string {
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1).trimEnd()}…`;
}
