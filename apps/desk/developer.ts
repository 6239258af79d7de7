import { createContext, type FunctionComponent } from 'preact';
import type { IconData } from './icon-data.ts';
import type { PageRow } from './page-row.ts';

/** The additions of the local service: pages for developers, and a way to each store of the machine. */
export interface Developer {
  title: string;
  pages: readonly PageRow[];
  /** The reference page of the service. */
  reference: { title: string; icon: IconData; address: string };
  /** Replaces the store's name. */
  Switcher: FunctionComponent;
  /** Shown on the sign-in page. */
  Stores: FunctionComponent;
}

/** A key with this many scopes has all of them, and may see how the service works. */
export const scopeCount = 35;

/** Undefined in the desk as it is deployed. */
export const DeveloperContext = createContext<Developer | undefined>(undefined);
