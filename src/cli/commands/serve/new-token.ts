import { createToken, hashToken } from '../../../mcp/server/auth/token-hash.ts';
import { type CliContext, printJson, printLine } from '../../cli-context.ts';

/** Prints a token to hand out, and the hash to keep of it. */
export function printNewToken(context: CliContext, json: boolean): number {
  const token = createToken();
  const hash = hashToken(token);
  if (json) printJson(context, { token, hash });
  else {
    printLine(context.stdout, `token: ${token}`);
    printLine(context.stdout, `hash:  ${hash}`);
    printLine(context.stderr, 'Give the token to the client; put the hash under serve.tokens in pegboard.yaml.');
  }
  return 0;
}
