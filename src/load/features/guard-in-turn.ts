import type { CallGuard } from '../../tool/calls/call-bounds.ts';

/** Joins guards: each judges a call after the one before has agreed, and the first refusal counts. */
export function guardInTurn(guards: readonly CallGuard[]): CallGuard {
  const [only] = guards;
  if (only !== undefined && guards.length === 1) return only;
  return async (request) => {
    for (const guard of guards) {
      const refusal = await guard(request);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  };
}
