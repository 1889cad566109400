import type { Feature } from '../load/features/feature.ts';
import { agents } from './agents/feature.ts';
import { approvals } from './approvals/feature.ts';
import { discovery } from './discovery/feature.ts';
import { knowledge } from './knowledge/feature.ts';
import { limits } from './limits/feature.ts';
import { lock } from './lock/feature.ts';
import { logins } from './logins/feature.ts';
import { offers } from './offers/feature.ts';
import { outputs } from './outputs/feature.ts';
import { policy } from './policy/feature.ts';
import { programs } from './programs/feature.ts';
import { record } from './record/feature.ts';
import { servers } from './servers/feature.ts';
import { serving } from './serving/feature.ts';
import { skills } from './skills/feature.ts';
import { telemetry } from './telemetry/feature.ts';

/** The features of every board, in the order in which they are opened. To add one, create a folder here and add a line to this list. */
export const BUILT_IN_FEATURES: readonly Feature[] = [
  record,
  telemetry,
  policy,
  // After the policies: its guard only judges calls that they allow.
  lock,
  limits,
  outputs,
  offers,
  skills,
  knowledge,
  discovery,
  agents,
  programs,
  servers,
  logins,
  approvals,
  serving,
];
