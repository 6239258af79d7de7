import type { FunctionComponent } from 'preact';
import type { Scope } from '../../lib/routes/scopes.ts';
import type { IconData } from './icon-data.ts';

/** The parameters of a page's path. */
export type PageParameters = Record<string, string>;

/** The groups of the menu, in its order. */
export const groups = ['sell', 'customers', 'inworld', 'money', 'settings'] as const;

/** The place of a page in the menu. Without a group it stands above the groups. */
export interface MenuEntry {
  title: string;
  icon: IconData;
  group?: (typeof groups)[number];
  /** A key with this scope finds the page from another one. */
  unless?: Scope;
}

/** A page that the menu shows. */
export interface MenuPage {
  path: string;
  menu: MenuEntry;
}

/**
 * A page is a row in `pages.ts`, a file in `pages/` whose component gets the path's parameters, and its texts in a
 * `.texts.ts` beside it. A page whose scopes the key lacks is neither in the menu nor opened. All pages but the first
 * are imported when they are opened.
 */
export interface PageRow {
  path: string;
  menu?: MenuEntry;
  scopes: readonly Scope[];
  component: FunctionComponent<PageParameters>;
}
