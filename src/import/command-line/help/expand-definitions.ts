/** `OPTIONS := { -4 | -s[tatistics] }`, optionally preceded by `where`. */
const DEFINITION = /(?:\bwhere\s+)?\b([A-Z][A-Z_-]*)\s*:=\s*(?=[{[])/g;
/** A line that starts a definition. */
export const DEFINES = /\b[A-Z][A-Z_-]*\s*:=\s*[{[]/;
/** More than the choices of one argument could be. */
const MAX_DEFINITIONS = 40;

/**
 * Replaces names in a usage with their definitions below it: the options of `[ OPTIONS ]`, the words of `OBJECT`. iproute2 and
 * others write their usage like this.
 */
export function expandDefinitions(forms: readonly string[]): readonly string[] {
  if (!forms.some((form) => form.includes(':='))) return forms;
  const definitions = new Map<string, string>();
  const bare = forms.map((form) => {
    const found = [...form.matchAll(DEFINITION)].slice(0, MAX_DEFINITIONS);
    for (const [at, match] of found.entries()) {
      const end = found[at + 1]?.index ?? form.length;
      definitions.set(match[1] ?? '', form.slice(match.index + match[0].length, end).trim());
    }
    return form.slice(0, found[0]?.index ?? form.length).trim();
  });
  return bare.map((form) =>
    form.replaceAll(/\[\s*([A-Z][A-Z_-]*)\s*\]|\b[A-Z][A-Z_-]*\b/g, (whole, inner: string | undefined) => {
      const definition = definitions.get(inner ?? whole);
      if (definition === undefined) return whole;
      const parts = splitParts(definition.replace(/^[{[]/, '').replace(/[}\]]$/, ''));
      if (parts.every((part) => part.startsWith('-'))) return parts.map((part) => `[${toOption(part)}]`).join(' ');
      const isWords = parts.every((part) => /^[a-z0-9][\w-]*$/.test(part));
      return isWords ? `{${parts.filter((part) => part !== 'help').join('|')}}` : whole;
    }),
  );
}

/** Splits at bars outside of brackets. */
function splitParts(text: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const letter of text) {
    if ('{[('.includes(letter)) depth++;
    if ('}])'.includes(letter)) depth--;
    if (letter === '|' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** `-f[amily] { inet | link }` → `-family <inet|link>`, `-rc[vbuf] [size]` → `-rcvbuf <size>`. */
function toOption(part: string): string {
  const [, start = '', rest = '', value = ''] = /^(-\w+)(?:\[([\w-]+)\])?\s*(.*)$/s.exec(part) ?? [];
  const flag = `${start}${rest}`;
  const name = value.replaceAll(/[{}[\]\s<>]/g, '');
  return name === '' ? flag : `${flag} <${name}>`;
}

/** Returns the lines without definitions, which are not lists of options with descriptions. */
export function withoutDefinitions(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => DEFINES.test(line));
  if (start === -1) return lines;
  const end = lines.findIndex((line, at) => at > start && line.trim() === '');
  return [...lines.slice(0, start), ...(end === -1 ? [] : lines.slice(end))];
}
