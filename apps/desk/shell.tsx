import type { ComponentChildren } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { copiedName } from '../shared/copied-name.ts';
import { go, link, match, useAddress } from './address.ts';
import { DeveloperContext, scopeCount } from './developer.ts';
import type { PageRow } from './page-row.ts';
import { pages } from './pages.ts';
import { LeaveQuestion } from './parts/leave.tsx';
import { State } from './parts/list.tsx';
import { Waiting } from './parts/load.tsx';
import { Notices } from './parts/notices.tsx';
import { PersonInput } from './parts/person.tsx';
import { endsAtSignOut, type Session, signOut, useSession } from './session.ts';
import { texts } from './texts.ts';
import { askToLeave } from './unsaved.ts';

const t = texts.shell;

/** One box takes a name or a UUID. The key `/` leads to it. */
const FindCustomer = () => {
  const input = useRef<HTMLInputElement | null>(null);
  const open = (name: string): void => go(link(`/customers/${encodeURIComponent(name)}`));
  // The key works as soon as the page is visible. With an effect after the paint, a key pressed at once would be lost.
  useLayoutEffect(() => {
    const follow = (event: KeyboardEvent) => {
      const isInField = event.target instanceof Element && event.target.closest('input, textarea, select, dialog');
      if (event.key !== '/' || isInField || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', follow);
    return () => removeEventListener('keydown', follow);
  }, []);
  return (
    <search class="find">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const text = copiedName(input.current?.value ?? '');
          if (!text) return;
          open(text);
          event.currentTarget.reset();
        }}
      >
        <PersonInput
          take={(element) => {
            input.current = element;
          }}
          type="search"
          aria-label={t.find}
          placeholder={t.findHelp}
          onPick={({ residentUuid }) => {
            open(residentUuid);
            input.current?.form?.reset();
          }}
        />
        <kbd>/</kbd>
      </form>
    </search>
  );
};

interface MenuProps {
  label: string;
  rows: readonly PageRow[];
  path: string;
  onLeave: () => void;
  /** Shown after the pages. */
  children?: ComponentChildren;
}

const Menu = ({ label, rows, path, onLeave, children }: MenuProps) => {
  const { can } = useSession();
  const shown = rows.filter(({ title, scopes }) => title !== undefined && can(...scopes));
  const isCurrent = (own: string): boolean => (own === '/' ? path === '/' : path === own || path.startsWith(`${own}/`));
  return (
    <nav aria-label={label}>
      <ul>
        {shown.map(({ path: own, title }) => (
          <li key={own}>
            <a href={link(own)} aria-current={isCurrent(own) ? 'page' : undefined} onClick={onLeave}>
              {title}
            </a>
          </li>
        ))}
        {children}
      </ul>
    </nav>
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

interface DrawerProps {
  path: string;
  /** A page of the menu was chosen. */
  onLeave: () => void;
  onSignOut: () => void;
}

/** The menu of all pages, and below it the key. */
const Drawer = ({ path, onLeave, onSignOut }: DrawerProps) => {
  const session = useSession();
  const developer = useContext(DeveloperContext);
  const [isOpen] = useState(() => developer?.pages.some(({ path: own }) => match(own, path) !== undefined));
  return (
    <div class="drawer">
      <div>
        <Menu label={t.pages} rows={pages} path={path} onLeave={onLeave} />
        {developer && isDeveloper(session) && (
          <details class="group" open={isOpen}>
            <summary>{developer.title}</summary>
            <Menu label={developer.title} rows={developer.pages} path={path} onLeave={onLeave}>
              <li>
                <a href={developer.reference.address}>{developer.reference.title}</a>
              </li>
            </Menu>
          </details>
        )}
      </div>
      <footer>
        <p class="help" title={session.store.key.name}>
          {isDeveloper(session) ? t.fullAccess : t.key(session.store.key.name)}
        </p>
        {endsAtSignOut() && <p class="help">{t.endsKey}</p>}
        <button type="button" class="button is-quiet" onClick={onSignOut}>
          {t.signOut}
        </button>
        <p class="help">
          <a href={link('/help')} onClick={onLeave}>
            {t.help}
          </a>
        </p>
        <Notices />
        <p class="help">{t.version(serviceVersion)}</p>
      </footer>
    </div>
  );
};

/** The frame of every page: menu, the box for customers, and the page itself. */
export const Shell = () => {
  const session = useSession();
  const { store, can } = session;
  const developer = useContext(DeveloperContext);
  const { path } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    setOpen(false);
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
    <div class="shell">
      {/* The address is the router's, so a link to #main would leave the page. */}
      <button type="button" class="skip button" onClick={() => main.current?.focus()}>
        {texts.skip}
      </button>
      <div class={`side${isOpen ? ' is-open' : ''}`}>
        <div class="brand">
          <span class="mark" aria-hidden="true">
            {store.name.slice(0, 1)}
          </span>
          {developer ? <developer.Switcher /> : <b>{store.name}</b>}
          {!store.open && <State tone="warn">{t.closed}</State>}
          <button type="button" class="button is-quiet menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {texts.menu}
          </button>
        </div>
        <Drawer path={path} onLeave={() => setOpen(false)} onSignOut={leave} />
      </div>
      <LeaveQuestion />
      <div class="content">
        {can('customers:read') && <FindCustomer />}
        <main ref={main} tabIndex={-1}>
          <CurrentPage path={path} />
        </main>
      </div>
    </div>
  );
};
