import { redactKnown } from '../execute/redact.ts';
import type { Diagnostic, SourcePlace } from './diagnostic.ts';

/** Diagnostics without secrets: what a server says about itself may hold anything, and so may the line that names it. */
export function cleanDiagnostics(diagnostics: readonly Diagnostic[], secrets: readonly string[]): Diagnostic[] {
  return diagnostics.map((diagnostic) => ({
    ...diagnostic,
    message: redactKnown(diagnostic.message, secrets),
    place: diagnostic.place === undefined ? undefined : cleanPlace(diagnostic.place, secrets),
  }));
}

/** As many stars as the secret is long, so that the caret stays under what it points at. */
function cleanPlace(place: SourcePlace, secrets: readonly string[]): SourcePlace {
  let { text } = place;
  for (const secret of secrets) text = text.replaceAll(secret, '*'.repeat(secret.length));
  return { ...place, text };
}
