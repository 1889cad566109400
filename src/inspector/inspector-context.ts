import { toPerson } from '../tool/calls/ask.ts';
import { withClient } from '../tool/calls/call-owner.ts';
import type { Elicit } from '../tool/calls/elicitation.ts';

const INSPECTOR = 'inspector';

/** Makes the metadata of calls that the page makes, for the user of the board. Questions of servers go to the page. */
export function inspectorContext(elicit: Elicit): Readonly<Record<string, unknown>> {
  return withClient({ caller: INSPECTOR }, { user: '', session: INSPECTOR, via: INSPECTOR, person: toPerson(elicit) });
}
