import questionMark from 'lucide/dist/esm/icons/circle-question-mark.mjs';
import logOut from 'lucide/dist/esm/icons/log-out.mjs';
import menuLines from 'lucide/dist/esm/icons/menu.mjs';
import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { link, match, useAddress } from './address.ts';
import { DeveloperContext, scopeCount } from './developer.ts';
import { time } from './format.ts';
import { groups, type MenuPage, type PageRow } from './page-row.ts';
import { pages } from './pages.ts';
import { Icon } from './parts/icon.tsx';
import { LeaveQuestion } from './parts/leave.tsx';
import { State } from './parts/list.tsx';
import { Waiting } from './parts/load.tsx';
import { Notices } from './parts/notices.tsx';
import { SearchButton, SearchDialog, useSearch } from './parts/search.tsx';
import { endsAtSignOut, type Session, signOut, useSession } from './session.ts';
import { texts } from './texts.ts';
import { askToLeave } from './unsaved.ts';

const t = texts.shell;

/** True for the page of a menu's entry, and for the pages below it. */
const isAt = (own: string, path: string): boolean =>
  own === '/' ? path === '/' : path === own || path.startsWith(`${own}/`);

const PageLink = ({ of: { path, menu }, at, onLeave }: { of: MenuPage; at: string; onLeave: () => void }) => (
  <a href={link(path)} aria-current={isAt(path, at) ? 'page' : undefined} onClick={onLeave}>
    <Icon of={menu.icon} />
    <span>{menu.title}</span>
  </a>
);

/** The pages of the menu that the key opens. */
const useMenu = (rows: readonly PageRow[]): readonly MenuPage[] => {
  const { can } = useSession();
  return rows.flatMap(({ path, menu, scopes }) =>
    menu && can(...scopes) && !(menu.unless && can(menu.unless)) ? [{ path, menu }] : [],
  );
};

interface MenuProps {
  /** Undefined for the pages above the groups. */
  title?: string;
  entries: readonly MenuPage[];
  path: string;
  onLeave: () => void;
  /** Shown after the pages. */
  children?: ComponentChildren;
}

/** A group of pages under its heading. A group without pages is not shown. */
const MenuGroup = ({ title, entries, path, onLeave, children }: MenuProps) => {
  const id = useId();
  if (entries.length === 0) return null;
  return (
    <>
      {title !== undefined && <h2 id={id}>{title}</h2>}
      <ul aria-labelledby={title === undefined ? undefined : id}>
        {entries.map((entry) => (
          <li key={entry.path}>
            <PageLink of={entry} at={path} onLeave={onLeave} />
          </li>
        ))}
        {children}
      </ul>
    </>
  );
};

/** True if the key has all scopes. People who keep the shop do not need the pages for developers. */
const isDeveloper = ({ store }: Session): boolean => store.key.scopes.length === scopeCount;

const CurrentPage = ({ path }: { path: string }) => {
  const session = useSession();
  const added = useContext(DeveloperContext)?.pages ?? [];
  for (const row of [...pages, ...added]) {
    const { path: pattern, scopes, component: Page } = row;
    const parameters = match(pattern, path);
    if (!parameters) continue;
    if (!session.can(...scopes) || (added.includes(row) && !isDeveloper(session)))
      return <p class="empty">{texts.noScope}</p>;
    return <Page key={path} {...parameters} />;
  }
  return <p class="empty">{texts.notFound}</p>;
};

/** The words of a filter that is set: `Period: 30 days`. */
const wordsOfFilter = (filter: Element): string[] => {
  const control = filter.querySelector<HTMLInputElement | HTMLSelectElement>('input, select');
  if (!control?.value) return [];
  const value = 'selectedOptions' in control ? control.selectedOptions[0]?.text : control.value;
  return [`${filter.querySelector('span')?.textContent}: ${value}`];
};

/** The line above a printed page, with the store, what the list is filtered by, and the time. */
const Printed = () => {
  const { store } = useSession();
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const write = () => {
      const filters = [...document.querySelectorAll('main .filter')].flatMap(wordsOfFilter);
      const said = [store.name, ...filters, t.printed(time(new Date().toISOString()))];
      if (line.current) line.current.textContent = said.join(' · ');
    };
    addEventListener('beforeprint', write);
    return () => removeEventListener('beforeprint', write);
  }, [store.name]);
  return <p ref={line} class="printed" />;
};

interface SideProps {
  path: string;
  isOpen: boolean;
  /** A page of the menu was chosen, or it was closed. */
  onLeave: () => void;
  onSignOut: () => void;
}

/** The store, the menu of all pages, and below it what concerns the key. On a phone it is a sheet. */
const Side = ({ path, isOpen, onLeave, onSignOut }: SideProps) => {
  const session = useSession();
  const { store } = session;
  const developer = useContext(DeveloperContext);
  const entries = useMenu(pages);
  const added = useMenu(developer?.pages ?? []);
  const [isDevelopers] = useState(() => added.some(({ path: own }) => match(own, path) !== undefined));
  const side = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (isOpen) side.current?.querySelector('a')?.focus();
  }, [isOpen]);
  const ofMenu = { path, onLeave };
  return (
    <aside ref={side} id="side" class={`side${isOpen ? ' is-open' : ''}`}>
      <div class="brand">
        <span class="mark" aria-hidden="true">
          {store.name.slice(0, 1)}
        </span>
        <div>
          {developer ? <developer.Switcher /> : <b>{store.name}</b>}
          <p title={store.key.name}>{isDeveloper(session) ? t.fullAccess : t.key(store.key.name)}</p>
        </div>
      </div>
      <nav aria-label={t.pages}>
        <MenuGroup entries={entries.filter(({ menu }) => menu.group === undefined)} {...ofMenu} />
        {groups.map((group) => (
          <MenuGroup
            key={group}
            title={texts.groups[group]}
            entries={entries.filter(({ menu }) => menu.group === group)}
            {...ofMenu}
          />
        ))}
      </nav>
      {developer && isDeveloper(session) && (
        <details class="group" open={isDevelopers}>
          <summary>{developer.title}</summary>
          <nav aria-label={developer.title}>
            <MenuGroup entries={added} {...ofMenu}>
              <li>
                <a href={developer.reference.address}>
                  <Icon of={developer.reference.icon} />
                  <span>{developer.reference.title}</span>
                </a>
              </li>
            </MenuGroup>
          </nav>
        </details>
      )}
      <div class="foot">
        <ul>
          <li>
            <PageLink of={{ path: '/help', menu: { title: t.help, icon: questionMark } }} at={path} onLeave={onLeave} />
          </li>
          <li>
            <button type="button" class="button is-quiet" onClick={onSignOut}>
              <Icon of={logOut} />
              {t.signOut}
            </button>
          </li>
        </ul>
        {endsAtSignOut() && <p class="help">{t.endsKey}</p>}
        <div class="about">
          <Notices />
          <p class="help">{t.version(serviceVersion)}</p>
        </div>
      </div>
    </aside>
  );
};

/** These come first below the page on a phone, as far as the key opens them; then the others in the menu's order. */
const firstTabs = ['/', '/sales', '/customers', '/products'];

/** The width of the sheet and the tabs in the style sheet. */
const phone = matchMedia('(max-width: 859px)');

/** The sheet of all pages on a phone. */
const useSheet = () => {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const leave = () => setOpen(false);
  const close = () => {
    leave();
    opener.current?.focus();
  };
  // A wide screen has no sheet: turned to its side, a tablet would keep the page inert.
  useEffect(() => {
    phone.addEventListener('change', leave);
    return () => phone.removeEventListener('change', leave);
  }, []);
  return { isOpen, opener, leave, close, toggle: () => (isOpen ? close() : setOpen(true)) };
};

/** Four pages and the rest, for a thumb. */
const Tabs = ({ path, sheet }: { path: string; sheet: ReturnType<typeof useSheet> }) => {
  const entries = useMenu(pages);
  const first = firstTabs.flatMap((own) => entries.find((entry) => entry.path === own) ?? []);
  const four = [...new Set([...first, ...entries])].slice(0, 4);
  return (
    <nav class="tabs" aria-label={t.shortcuts}>
      {four.map((entry) => (
        <PageLink key={entry.path} of={entry} at={path} onLeave={sheet.leave} />
      ))}
      <button
        ref={sheet.opener}
        type="button"
        aria-label={t.morePages}
        aria-expanded={sheet.isOpen}
        aria-controls="side"
        onClick={sheet.toggle}
      >
        <Icon of={menuLines} />
        <span>{texts.more}</span>
      </button>
    </nav>
  );
};

/** The frame of every page: menu, the box for customers, and the page itself. */
export const Shell = () => {
  const session = useSession();
  const { store } = session;
  const { path } = useAddress();
  const entries = useMenu(pages);
  const added = useMenu(useContext(DeveloperContext)?.pages ?? []);
  const sheet = useSheet();
  const search = useSearch();
  const [isLeaving, setLeaving] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    sheet.leave();
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [path]);
  const leave = () =>
    askToLeave(() => {
      setLeaving(true);
      signOut(session);
    });
  if (isLeaving) return <Waiting />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of what is in it.
    <div
      class="shell"
      onKeyDown={({ key, target }) => {
        // A dialog hears its own.
        if (sheet.isOpen && key === 'Escape' && !(target instanceof Element && target.closest('dialog'))) sheet.close();
      }}
    >
      {/* The address is the router's, so a link to #main would leave the page. */}
      <button type="button" class="skip button" onClick={() => main.current?.focus()}>
        {texts.skip}
      </button>
      <Side path={path} isOpen={sheet.isOpen} onLeave={sheet.leave} onSignOut={leave} />
      <LeaveQuestion />
      {search.isOpen && (
        <SearchDialog pages={[...entries, ...(isDeveloper(session) ? added : [])]} close={search.close} />
      )}
      <div class="content" inert={sheet.isOpen}>
        <header class="top">
          <a class="mark" href={link('/')} aria-label={texts.home.title}>
            {store.name.slice(0, 1)}
          </a>
          <SearchButton open={search.open} />
          <State tone={store.open ? 'good' : 'warn'}>{store.open ? t.open : t.closed}</State>
        </header>
        <Printed />
        <main ref={main} tabIndex={-1}>
          <CurrentPage path={path} />
        </main>
      </div>
      {sheet.isOpen && <button type="button" class="behind" aria-label={texts.close} onClick={sheet.close} />}
      <Tabs path={path} sheet={sheet} />
    </div>
  );
};
