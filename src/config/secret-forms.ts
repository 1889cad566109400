const MIN_LINE = 8;

/** Every way a secret may be written: as it is, in JSON, in an address, line by line. Longest first, so that none hides in another. */
export function secretForms(secrets: Iterable<string>): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    forms.add(secret);
    forms.add(JSON.stringify(secret).slice(1, -1));
    forms.add(encodeURIComponent(secret.toWellFormed()));
    for (const line of secret.split(/\r?\n/)) if (line.trim().length >= MIN_LINE) forms.add(line.trim());
  }
  return [...forms].toSorted((a, b) => b.length - a.length);
}
