import { clientOf } from '../../tool/calls/call-owner.ts';
import { toLegalName } from '../../tool/texts/legal-name.ts';
import { HELPER_MARK } from '../../tool/tool-marks.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import { ServedCall } from './served-call.ts';

const made = new WeakMap<SharedServer, Tool>();

/** Returns the tools with which users log in to servers with individual logins, and log out; the same objects for the same server. */
export function loginTools(servers: readonly SharedServer[]): Tool[] {
  return servers.flatMap((server) => {
    if (server.users === undefined) return [];
    const tool = made.get(server) ?? makeLoginTool(server);
    made.set(server, tool);
    return [tool];
  });
}

function makeLoginTool(server: SharedServer): Tool {
  const { name: source } = server.settings;
  const name = `${toLegalName(source)}_login`;
  return defineTool({
    ...HELPER_MARK,
    name,
    description: `Log the user in at ${source}, whose tools each user uses with a login of their own, or out again.`,
    category: 'utility',
    source,
    risk: 'read',
    schema: {
      type: 'object',
      properties: {
        forget: { type: 'boolean', default: false, description: 'Log the user out: the login that is kept is deleted' },
      },
      additionalProperties: false,
    },
    async execute({ forget }, context) {
      const { user } = clientOf(context);
      const { users } = server;
      if (forget) {
        const isForgotten = await users?.logins.forget(user);
        return isForgotten === true ? `You are logged out of ${source}.` : `You were not logged in at ${source}.`;
      }
      const call = new ServedCall({ server, tool: 'login', name, keepsHidden: false }, {}, context);
      await server.logIn(call);
      call.checkAnswered();
      const isLoggedIn = await users?.isLoggedIn(user);
      return isLoggedIn === true ? `You are logged in at ${source}.` : `${source} answers; it wanted no login so far.`;
    },
  });
}
