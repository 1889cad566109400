import { promptStreams } from '../../../../cli/shared/ask/ask-person.ts';
import type { CliContext } from '../../../../cli/shared/cli-context.ts';
import { toCell } from '../../../../cli/shared/print/columns.ts';
import { gateText } from '../../../../cli/shared/print/gate-output.ts';
import type { ClientServer } from './find-client-servers.ts';

/** Asks which servers to import; none if the person cancels. */
export async function chooseServers(
  servers: readonly ClientServer[],
  file: string,
  context: CliContext,
): Promise<readonly ClientServer[]> {
  if (servers.length === 0) return [];
  const { isCancel, multiselect } = await import('@clack/prompts');
  const names = servers.map(({ name }) => name);
  const chosen = await multiselect({
    ...promptStreams(context),
    message: gateText(`Which servers should be added to ${file}?`),
    options: servers.map(({ name, secrets }) => ({
      value: name,
      label: gateText(toCell(name)),
      ...(secrets.length === 0
        ? {}
        : { hint: gateText(`needs ${secrets.map(({ variable }) => variable).join(', ')}`) }),
    })),
    initialValues: names,
    required: false,
  });
  return isCancel(chosen) ? [] : servers.filter(({ name }) => chosen.includes(name));
}
