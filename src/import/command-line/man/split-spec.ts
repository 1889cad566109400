const FLAG_START = /-{1,2}(?:\[no-?\])?[A-Za-z0-9?#:@]/;

/**
 * Cuts what a manual page writes for one entry into options: `--since=<date>, --after=<date>` may be two names of one or two
 * options, so each long name stands for itself; short ones go with the first.
 */
export function splitSpec(spec: string): string[] {
  return spec.split(/\s+and\s+(?=-)/).flatMap(splitNames);
}

function splitNames(spec: string): string[] {
  const parts = spec
    .split(new RegExp(String.raw`(?:,\s*|\s*\|\s*|\s+or\s+|\s*/\s*|\s+)(?=${FLAG_START.source})`))
    .map((part) => part.trim())
    .filter((part) => FLAG_START.test(part.slice(0, 8)) && part.startsWith('-'));
  const longs = parts.filter((part) => part.startsWith('--'));
  const letters = parts.filter((part) => !part.startsWith('--') && /^-.(?!\w{2})/.test(part));
  // `-L <start>,<end>, -L :<funcname>`: two forms of the value of one option.
  const shorts = letters.filter((part, index) => letters.findIndex((one) => one[1] === part[1]) === index);
  // `-n, -netns <NAME>`: a letter by itself, and the word that it begins. Its value is that of both.
  const bare = shorts.filter((part) => /^-.$/.test(part));
  const spelled = parts.filter((part) => /^-\w{2,}/.test(part) && bare.some((short) => part.startsWith(short)));
  shorts.push(...spelled.filter((part) => !shorts.includes(part)));
  // `-Ldirectory / -L directory` is one option.
  const words = parts.filter(
    (part) => !longs.includes(part) && !shorts.some((short) => short === part || part.startsWith(short.slice(0, 2))),
  );
  if (longs.length === 0) return [...(shorts.length === 0 ? [] : [joined(shorts)]), ...words];
  const names = new Map<string, string[]>();
  for (const part of longs) {
    const name = nameOf(part);
    names.set(name, [...(names.get(name) ?? []), part]);
  }
  const groups = [...names].flatMap(([name, forms]) => {
    const positive = name.replace(/^--no-/, '--');
    // `--color, --no-color` is an option and its contrary, unless one of them takes a value.
    const isContrary =
      positive !== name && names.has(positive) && takesNothing([...(names.get(positive) ?? []), ...forms]);
    if (isContrary) return [];
    const contrary = names.get(name.replace(/^--/, '--no-')) ?? [];
    const isPlain = takesNothing([...forms, ...contrary]);
    return [[oneForm(name, forms), ...(isPlain ? contrary : [])]];
  });
  return [...groups.map((group, index) => joined(index === 0 ? [...shorts, ...group] : group)), ...words];
}

function nameOf(part: string): string {
  return /^--(?:\[no-?\])?[\w.-]+/.exec(part)?.[0] ?? part;
}

function takesNothing(parts: readonly string[]): boolean {
  return parts.every((part) => nameOf(part) === part);
}

/** `--tabs=<n>, --tabs`: the value may be left out. */
function oneForm(name: string, forms: readonly string[]): string {
  const bare = forms.some((form) => form === name);
  const valued = forms.find((form) => form.length > name.length);
  if (valued === undefined) return name;
  const value = valued.slice(name.length);
  return bare && value.startsWith('=') ? `${name}[${value}]` : valued;
}

function joined(parts: readonly string[]): string {
  return [...new Set(parts)].join(', ');
}
