import type { Redactor } from '../../guard/secrets/redactor.ts';
import type { Diagnostic } from './diagnostic.ts';

/** Diagnostics without secrets: what a server says about itself may hold anything, and so may the line that names it. */
export function cleanDiagnostics(diagnostics: readonly Diagnostic[], redactor: Redactor): Diagnostic[] {
  if (redactor.isEmpty) return [...diagnostics];
  return diagnostics.map((diagnostic) => {
    const { message, place, path } = diagnostic;
    return {
      ...diagnostic,
      path: path.map((key) => (typeof key === 'string' ? redactor.text(key) : key)),
      message: redactor.text(message),
      // As many stars as the secret is long, so that the caret stays under what it points at.
      place: place === undefined ? undefined : { ...place, text: redactor.stars(place.text) },
    };
  });
}
