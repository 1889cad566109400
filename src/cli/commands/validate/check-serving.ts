import type { Board } from '../../../board/board.ts';
import { serving } from '../../../features/serving/feature.ts';
import type { Diagnostic } from '../../../load/diagnostics/diagnostic.ts';
import { mergeSections } from '../../../load/features/section.ts';
import { createToken } from '../../../mcp/server/auth/token-hash.ts';
import { createGate } from '../../../mcp/server/http/gate/gate.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { createAuthenticator } from '../serve/create-authenticator.ts';
import { mergeServeSections, toHttpOptions } from '../serve/serve-settings.ts';

/** Finds the reasons why `pegboard serve --http` would refuse these files, with the same checks. Opens no port. */
export function checkServing({ files }: Pick<Board, 'files'>): Diagnostic[] {
  const last = mergeSections(serving.sections, files).serve.findLast(({ value }) => Object.keys(value).length > 0);
  if (last === undefined || files.some((one) => one.isUnresolved(['serve']))) return [];
  const section = mergeServeSections(files);
  try {
    const own = { token: undefined, isOpen: false, boardToken: createToken };
    createGate(toHttpOptions(section, createAuthenticator(section, own)));
    return [];
  } catch (error) {
    return [last.at([], messageOf(error))];
  }
}
