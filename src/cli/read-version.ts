import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of this package, from the nearest package.json above. */
export function readVersion(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (name === 'pegboard') return String(version);
    } catch {
      // Not here: look further up.
    }
    if (dirname(folder) === folder) return 'unknown';
  }
}
