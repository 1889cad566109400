// A feature from outside: a section of the board file, a guard, a reservation, a command, and rows of status and doctor.
import { defineFeature, definePlugin, section, ToolError } from 'pegboard';
import { DailyCounts } from './daily-counts.js';

const quotaSection = section({
  merge: 'deep',
  schema: /** @type {const} */ ({
    type: 'object',
    description: 'Calls a day for each caller',
    properties: {
      calls_per_day: {
        type: 'integer',
        minimum: 1,
        description: 'Calls of one caller from midnight to midnight (UTC)',
      },
      callers: {
        type: 'object',
        description: 'Other limits for single callers, by name',
        additionalProperties: { type: 'integer', minimum: 0 },
      },
    },
    required: ['calls_per_day'],
    additionalProperties: false,
  }),
});

/** The feature itself: `quota:` in a board file. */
export const quota = defineFeature({
  name: 'quota',
  sections: { quota: quotaSection },
  check({ quota: settings }) {
    const own = Object.entries(settings?.value.callers ?? {});
    return own.flatMap(([caller, limit]) =>
      limit === 0 && settings !== undefined
        ? [settings.at(['callers', caller], 'may make no calls at all; a policy would say so more clearly.', 'warning')]
        : [],
    );
  },
  open({ quota: settings }, host) {
    if (settings === undefined) return {};
    const { calls_per_day: limit, callers = {} } = settings.value;
    const counts = new DailyCounts(() => host.store);
    /** @param {string} caller */
    const limitOf = (caller) => (Object.hasOwn(callers, caller) ? Number(Reflect.get(callers, caller)) : limit);
    const today = async () => {
      const all = await counts.list();
      return all.map(({ caller, calls }) => ({ caller: caller || 'the board itself', calls, limit: limitOf(caller) }));
    };
    return {
      api: { today },
      // Judged before a person is asked to approve a call that could not run.
      async guard({ tool, context }) {
        const caller = host.userOf(context);
        return (await counts.get(caller)) < limitOf(caller) ? undefined : refuse(tool.metadata.name, limitOf(caller));
      },
      // Counted once the call is about to run, in one transaction for all processes of the board.
      async reserve({ tool, context }) {
        const caller = host.userOf(context);
        const isCounted = await counts.add(caller, limitOf(caller));
        return isCounted ? undefined : refuse(tool.metadata.name, limitOf(caller));
      },
      status: async () =>
        (await today()).map(({ caller, calls, limit: most }) => [caller, `${calls} of ${most} calls today`]),
      async doctor() {
        const used = (await today()).filter(({ calls, limit: most }) => calls >= most);
        const detail =
          used.length === 0 ? `${limit} calls a day` : `used up by ${used.map(({ caller }) => caller).join(', ')}`;
        return [{ name: 'calls a day', status: used.length === 0 ? 'ok' : 'warning', detail }];
      },
    };
  },
  commands: {
    quota: { summary: 'Show how many calls each caller made today', load: () => import('./quota-command.js') },
  },
});

/**
 * @param {string} toolName
 * @param {number} limit
 */
function refuse(toolName, limit) {
  const message = `The quota of ${limit} calls a day is used up. Calls are possible again after midnight (UTC).`;
  return new ToolError({ code: 'permission_denied', message, toolName });
}

export default definePlugin({ name: 'pegboard-quota', features: [quota] });
