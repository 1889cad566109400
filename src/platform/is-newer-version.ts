/** Returns true when a semantic version comes after another one. */
export function isNewerVersion(one: string, other: string): boolean {
  const [first, second] = [split(one), split(other)];
  for (const [at, number] of first.numbers.entries()) {
    const difference = number - (second.numbers[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  // A version comes after its own previews.
  if (first.preview === '' || second.preview === '') return first.preview === '' && second.preview !== '';
  return first.preview.localeCompare(second.preview, 'en', { numeric: true }) > 0;
}

function split(version: string): { readonly numbers: readonly number[]; readonly preview: string } {
  const [, numbers = '', preview = ''] = /^(\d+\.\d+\.\d+)(?:-([^+]*))?/.exec(version) ?? [];
  return { numbers: numbers.split('.').map(Number), preview };
}
