import arrowLeftRight from 'lucide/dist/esm/icons/arrow-left-right.mjs';
import bookOpen from 'lucide/dist/esm/icons/book-open.mjs';
import bug from 'lucide/dist/esm/icons/bug.mjs';
import clock from 'lucide/dist/esm/icons/clock.mjs';
import { match } from '../address.ts';
import { start } from '../app.tsx';
import type { Developer } from '../developer.ts';
import { later } from '../parts/later.tsx';
import { keysAtStart, saveKey } from '../session.ts';
import { texts } from './frame.ts';
import { Stores, Switcher, workingKey } from './stores.tsx';

/**
 * The desk of the local service. The deployed desk is made from the `main.tsx` beside this folder and contains nothing
 * of this.
 */

const { opened, invitation, kept } = keysAtStart();

const developer: Developer = {
  title: texts.title,
  reference: { title: texts.reference, icon: bookOpen, address: '/docs' },
  pages: [
    {
      path: '/requests',
      component: later(async () => (await import('./requests.tsx')).RequestsPage),
      scopes: [],
      menu: { title: texts.titles.requests, icon: arrowLeftRight },
    },
    {
      path: '/clock',
      component: later(async () => (await import('./clock.tsx')).ClockPage),
      scopes: [],
      menu: { title: texts.titles.clock, icon: clock },
    },
    {
      path: '/faults',
      component: later(async () => (await import('./faults.tsx')).FaultsPage),
      scopes: [],
      menu: { title: texts.titles.faults, icon: bug },
    },
  ],
  Switcher,
  Stores,
};

const path = location.hash.replace(/^#/, '').split('?')[0] ?? '';
const isForDevelopers = developer.pages.some((page) => match(page.path, path));
// Pages for developers open without signing in.
const key = isForDevelopers ? await workingKey(kept).catch(() => kept) : kept;
if (key !== undefined && key !== kept) saveKey(key);
start({ opened, invitation, kept: key }, developer);
