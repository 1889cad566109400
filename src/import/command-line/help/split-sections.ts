/** A heading of a help text and the lines under it. */
export interface HelpSection {
  readonly title: string;
  readonly body: readonly string[];
}

/** Cuts a help text at its headings. Groups under a heading, as git has them, stay part of its section. */
export function splitSections(lines: readonly string[]): HelpSection[] {
  const sections: { title: string; body: string[] }[] = [{ title: '', body: [] }];
  for (const line of lines) {
    if (isHeading(line)) sections.push({ title: line.trim(), body: [] });
    else sections.at(-1)?.body.push(line);
  }
  return sections;
}

function isHeading(line: string): boolean {
  if (/^ {0,2}-/.test(line)) return false;
  // openssl: `Standard commands`; those it calls so for another command have a remark.
  if (/^[A-Z][a-z]+(?: [A-Z][a-z]+)? commands\b(?:$| \()/.test(line)) return true;
  return /^ ?\S[^:]*:$/.test(line) || /^[A-Z][A-Z -]{3,}$/.test(line);
}
