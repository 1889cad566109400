import { howToFind, LEAST_SECRET, SHORT_SECRET } from '../../guard/secrets/secret-forms.ts';
import { isSecretName, type NamedSecret } from '../../guard/secrets/secret-names.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';

/** Explains why a secret is too short or too common to redact; `undefined` for others. Never contains its value. */
export function explainWeakSecret(secret: NamedSecret): Pick<Diagnostic, 'severity' | 'message'> | undefined {
  const { name, value, isPart = false } = secret;
  const how = howToFind(value);
  if (how === 'anywhere') return undefined;
  // Of a URL only the password is a secret, and of a file all of it, under any variable name.
  const isNamed = isSecretName(name) && !isPart;
  const unnamed = isPart ? `the password in the address ${name}` : `the secret in ${name}`;
  const what = isNamed ? `${name} is a secret by its name, and its value` : unnamed;
  const other = isNamed ? ', or another name for the variable if it is no secret' : '';
  const fix = `Use a ${isPart ? 'password' : 'value'} of ${SHORT_SECRET} characters or more${other}.`;
  if (how === 'as a word') {
    const message = `${what} has fewer than ${SHORT_SECRET} characters: it is redacted from results only as a whole word, and that word is redacted even where it means something else. ${fix}`;
    return { severity: 'warning', message };
  }
  const reason = value.trim().length < LEAST_SECRET ? `has fewer than ${LEAST_SECRET} characters` : 'is a common word';
  const message = `${what} ${reason}: it is not redacted from results. ${fix}`;
  // A switch or a number has such a name by chance: MAX_TOKENS, AUTH_ENABLED.
  return { severity: /^(?:true|false|yes|no|on|off|-?[\d.]+)$/i.test(value.trim()) ? 'note' : 'warning', message };
}
