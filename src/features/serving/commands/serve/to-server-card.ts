import type { Board } from '../../../../board/board.ts';
import type { ServerCard } from '../../../../mcp/server/http/respond-card.ts';
import { readVersion } from '../../../../platform/own-package.ts';
import type { ServeSection } from './serve-settings.ts';

/** The longest description that cards and the registry allow. */
const MOST = 100;

/**
 * Creates the public card of a board from `serve.publish`. Without that section, an open board shows its name to those who may connect;
 * other boards have no card.
 */
export function toServerCard(
  section: ServeSection,
  { board, isOpen }: { readonly board: Pick<Board, 'files' | 'registry'>; readonly isOpen: boolean },
): ServerCard | undefined {
  const file = board.files.at(-1);
  // Variables of the file may contain secrets, and the card is public.
  const { publish, description, own } = board.registry.executor.redactor.data({
    publish: section.publish,
    description: file?.description,
    own: section.name ?? file?.name ?? 'pegboard',
  });
  if (publish !== undefined) return { ...describePublished(publish, description), url: publish.url };
  if (!isOpen) return undefined;
  return {
    name: `localhost/${toSlug(own)}`,
    title: own.slice(0, MOST),
    description: shorten(description) ?? 'A board of tools',
    version: readVersion(),
    isPublic: false,
  };
}

/** Converts `serve.publish` to the format of cards and the registry. */
export function describePublished(
  publish: NonNullable<ServeSection['publish']>,
  fallback: string | undefined,
): Omit<ServerCard, 'url' | 'isPublic'> {
  const { name, title, version = '0.1.0', website, repository, icon } = publish;
  return {
    name,
    title,
    description: shorten(publish.description) ?? shorten(fallback) ?? 'A board of tools',
    version,
    websiteUrl: website,
    ...(repository === undefined ? {} : { repository: { url: repository, source: hostOf(repository) } }),
    ...(icon === undefined ? {} : { icons: [{ src: icon }] }),
  };
}

/** Converts a name to letters, digits, dots and hyphens. */
export function toSlug(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9._-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'board';
}

function shorten(text: string | undefined): string | undefined {
  const line = text?.replaceAll(/\s+/g, ' ').trim();
  if (line === undefined || line === '') return undefined;
  return line.length > MOST ? `${line.slice(0, MOST - 1)}…` : line;
}

/** Returns the registry's name of a repository host: `github`, `gitlab`, or the host name. */
function hostOf(url: string): string {
  const { hostname } = new URL(url);
  return /^(?:www\.)?(github|gitlab)\.com$/.exec(hostname)?.[1] ?? hostname;
}
