import { spawn } from 'node:child_process';
import { type Inspector, startInspector } from '../../../inspector/start-inspector.ts';
import type { BoardLike } from '../../../discovery/board-like.ts';
import type { ApprovalInbox } from '../../../guard/approval/approval-inbox.ts';
import { type CliContext, printLine } from '../cli-context.ts';

/** Starts the inspector beside another command and prints its address on stderr: stdout belongs to the command. */
export async function openInspector(
  board: BoardLike,
  inbox: ApprovalInbox,
  { stderr }: CliContext,
): Promise<Inspector> {
  const inspector = await startInspector(board, { inbox });
  printLine(stderr, `Inspector (keep this link private, it gives access): ${inspector.url}`);
  return inspector;
}

/** Opens a link in the browser of this machine. Ignores failures: the link is printed as well. */
export function openBrowser(url: string, { env }: CliContext): void {
  const [command, ...args] = browserCommand(process.platform, env);
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  // There may be no browser; the link is printed as well.
  child.on('error', () => {});
  child.unref();
}

function browserCommand(platform: NodeJS.Platform, env: CliContext['env']): [string, ...string[]] {
  const named = env['BROWSER'];
  if (named !== undefined && named !== '') return [named];
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
