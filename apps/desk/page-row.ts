import type { FunctionComponent } from 'preact';
import type { Scope } from './session.ts';

/** The parameters of a page's path. */
export type PageParameters = Record<string, string>;

/**
 * A page is a row in `pages.ts`, a file in `pages/` whose component gets the path's parameters, and its texts in a
 * `.texts.ts` beside it. A row with a `title` is in the menu. A page whose scopes the key lacks is neither in the menu nor
 * opened. All pages but the first are imported when they are opened.
 */
export interface PageRow {
  path: string;
  title?: string;
  scopes: readonly Scope[];
  component: FunctionComponent<PageParameters>;
}
