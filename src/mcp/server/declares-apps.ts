import { PAGE_TYPE, pageOf } from '../../tool/app-pages.ts';
import { isPlainObject } from '../../tool/json.ts';
import { APPS_EXTENSION } from '../protocol/versions.ts';
import type { ToolView } from './tool-catalog.ts';

/** Returns true when a client declares that it shows pages of MCP Apps, so that it hides tools for pages from its model. */
export function declaresApps(capabilities: Readonly<Record<string, unknown>>): boolean {
  const { extensions } = capabilities;
  const settings = isPlainObject(extensions) ? extensions[APPS_EXTENSION] : undefined;
  if (!isPlainObject(settings)) return false;
  const { mimeTypes } = settings;
  return !Array.isArray(mimeTypes) || mimeTypes.includes(PAGE_TYPE);
}

/** Returns the capability of a server whose tools show pages to this caller. */
export function appsCapability({ registry }: ToolView): Readonly<Record<string, object>> {
  return registry.getAll().some(({ metadata }) => pageOf(metadata._meta) !== undefined) ? { [APPS_EXTENSION]: {} } : {};
}
