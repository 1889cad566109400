import { withClient } from '../tool/calls/call-owner.ts';

const INSPECTOR = 'inspector';

/** The context of calls from the inspector, made for the user of the board. */
export const INSPECTOR_CONTEXT: Readonly<Record<string, unknown>> = withClient(
  { caller: INSPECTOR },
  { user: '', session: INSPECTOR, via: INSPECTOR },
);
