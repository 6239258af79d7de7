import './first-view.ts';
import handCoins from 'lucide/dist/esm/icons/hand-coins.mjs';
import lock from 'lucide/dist/esm/icons/lock.mjs';
import plus from 'lucide/dist/esm/icons/plus.mjs';
import receipt from 'lucide/dist/esm/icons/receipt.mjs';
import send from 'lucide/dist/esm/icons/send.mjs';
import tag from 'lucide/dist/esm/icons/tag.mjs';
import userSearch from 'lucide/dist/esm/icons/user-search.mjs';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useState } from 'preact/hooks';
import type { Scope } from '../../../lib/routes/scopes.ts';
import { type CustomerNameResponse, StoreProblem } from '../../client/client.ts';
import { copiedName } from '../../shared/copied-name.ts';
import { go, link } from '../address.ts';
import { isUuid, money, time } from '../format.ts';
import type { IconData } from '../icon-data.ts';
import type { MenuPage } from '../page-row.ts';
import { lastThings, type Session, useSession } from '../session.ts';
import { t } from './found.texts.ts';
import { Icon } from './icon.tsx';
import { findPeople, useAnswer } from './person.tsx';
import { Avatar, Picture } from './picture.tsx';
import { findProducts } from './product.tsx';

/** An Enter that was pressed, until the search has found what to open. */
interface Press {
  inNewTab: boolean;
}

/** The box of the search, as its list works with it. */
export interface SearchBox {
  input: HTMLInputElement;
  text: string;
  pressed: Press | undefined;
  press: (how: Press | undefined) => void;
  /** Empties the box, and says in it what is looked for next. */
  ask: (what: string) => void;
  close: () => void;
}

const most = 4;

/** Something that the list offers. It leads to a page, or asks for more. */
interface Option {
  key: string;
  picture: ComponentChildren;
  words: string;
  note?: string | undefined;
  to?: string;
  press?: () => void;
}

interface Group {
  title: string;
  options: readonly Option[];
}

interface Act {
  name: 'give' | 'sell' | 'send' | 'make' | 'close';
  icon: IconData;
  scopes: readonly Scope[];
  /** The thing that it is done to. Its page has the form. */
  of?: 'customer' | 'product';
  /** The form's own page. */
  to?: string;
}

const acts: readonly Act[] = [
  { name: 'give', icon: handCoins, scopes: ['customers:read', 'credits:write'], of: 'customer' },
  { name: 'sell', icon: tag, scopes: ['products:read', 'sales:write'], of: 'product' },
  { name: 'send', icon: send, scopes: ['customers:read', 'products:redeliver'], of: 'customer' },
  { name: 'make', icon: plus, scopes: ['products:read', 'products:write'], to: link('/products/new') },
  { name: 'close', icon: lock, scopes: ['store:write'], to: link('/settings', { do: 'close' }) },
];

const bullet = (icon: IconData) => (
  <span class="bullet">
    <Icon of={icon} />
  </span>
);

const person = (id: string, name: string, act: Act | undefined): Option => ({
  key: id,
  picture: <Avatar id={id} name={name} />,
  words: name,
  to: link(`/customers/${encodeURIComponent(id)}`, { do: act?.name }),
});

const product = (of: { id: string; name: string; image?: string }, act: Act | undefined): Option => ({
  key: of.id,
  picture: <Picture of={of} />,
  words: of.name,
  to: link(`/products/${encodeURIComponent(of.id)}`, { do: act?.name }),
});

const holds = (words: string, text: string): boolean => words.toLowerCase().includes(text.trim().toLowerCase());

/** Undefined for what does not exist. */
const orNone = <T,>(read: Promise<T> | false): Promise<T | undefined> =>
  Promise.resolve(read || undefined).catch((error) => {
    if (error instanceof StoreProblem && error.status === 404) return undefined;
    throw error;
  });

/** The sale or gift card with a UUID, or else the product or the customer. */
const findById = async ({ client, can }: Session, text: string, signal: AbortSignal): Promise<Option[]> => {
  const id = copiedName(text).toLowerCase();
  if (!isUuid(id)) return [];
  const path = { id };
  const [sale, card, found] = await Promise.all([
    orNone(can('sales:read') && client.get('/v1/sales/{id}', { path, signal })),
    orNone(can('giftcards:read') && client.get('/v1/giftcards/{id}', { path, signal })),
    orNone(can('products:read') && client.get('/v1/products/{id}', { path, signal })),
  ]);
  if (sale)
    return [{ key: id, picture: bullet(receipt), words: t.sale, note: time(sale.at), to: link(`/sales/${id}`) }];
  // Anybody who knows the id of a card may redeem it, so no address holds it.
  if (card)
    return [
      {
        key: id,
        picture: bullet(receipt),
        words: t.card,
        note: `${money(card.credit)} · ${card.ownerUsername}`,
        to: link('/giftcards', { owner: card.ownerUuid }),
      },
    ];
  if (found) return [product(found, undefined)];
  if (!can('customers:read')) return [];
  const customer = await orNone(client.get('/v1/customers/{identifier}', { path: { identifier: id }, signal }));
  return customer ? [person(id, customer.username, undefined)] : [];
};

/** The things that this tab has shown last. */
const lastOptions = (pages: readonly MenuPage[], act: Act | undefined): Option[] =>
  lastThings().flatMap(({ path, words }) => {
    const [, kind = '', id = ''] = path.split('/');
    if (act && kind !== `${act.of}s`) return [];
    if (kind === 'customers') return [person(id, words, act)];
    if (kind === 'products') return [product({ id, name: words }, act)];
    const icon = pages.find((page) => page.path === `/${kind}`)?.menu.icon ?? receipt;
    return [{ key: path, picture: bullet(icon), words, to: link(path) }];
  });

const isName = (text: string): boolean => /^[a-z0-9]{1,31}(?:[. ][a-z0-9]{1,31})?$/i.test(text);

/** Opens the page of somebody who is no customer yet. */
const byName = (text: string, people: readonly CustomerNameResponse[], act: Act | undefined): Option[] => {
  const name = copiedName(text);
  const isKnown = people.some(({ username }) => username === name.toLowerCase().replace(' ', '.'));
  if (isKnown || !(isName(name) || isUuid(name))) return [];
  const words = isUuid(name) ? t.byUuid : t.byName(name);
  return [{ ...person(name, name, act), key: 'name', picture: bullet(userSearch), words }];
};

type Products = Awaited<ReturnType<typeof findProducts>>;

interface Results {
  text: string;
  people: readonly CustomerNameResponse[];
  products: Products;
  byId: readonly Option[];
}

const peopleOptions = ({ people }: Results, act: Act | undefined): Option[] =>
  people.slice(0, most).map(({ residentUuid, username, name }) => ({
    ...person(residentUuid, username, act),
    note: name === username ? undefined : t.formerly(name),
  }));

const productOptions = ({ products }: Results, act: Act | undefined): Option[] =>
  products.slice(0, most).map((one) => ({
    ...product(one, act),
    note: one.active ? money(one.activePrice) : `${money(one.activePrice)} · ${t.inactive}`,
  }));

/** The acts that the text names, and those on the first customer and the first active product that it finds. */
const actOptions = ({ text, people, products }: Results, allowed: readonly Act[], onAct: (act: Act) => void) => {
  const [customer] = people.map(({ residentUuid, username }) => ({ id: residentUuid, name: username }));
  const first = { customer, product: products.find(({ active }) => active) };
  return allowed.flatMap((act): Option[] => {
    const { name, icon, of, to } = act;
    const [plain, named] = t.does[name] as readonly [string, ((name: string) => string)?];
    const found = of && first[of];
    const shared = { key: name, picture: bullet(icon) };
    if (found)
      return [{ ...shared, words: named?.(found.name) ?? plain, to: link(`/${of}s/${found.id}`, { do: name }) }];
    if (!holds(plain, text)) return [];
    return [{ ...shared, words: plain, ...(to ? { to } : { press: () => onAct(act) }) }];
  });
};

/** All that the search offers for a text. */
const groupsOf = (
  { results, isWhole }: ReturnType<typeof useResults>,
  pages: readonly MenuPage[],
  session: Session,
  act: Act | undefined,
  onAct: (act: Act) => void,
): Group[] => {
  const { text, people, byId } = results;
  const allowed = acts.filter(({ scopes }) => session.can(...scopes));
  const known: Group[] = [
    { title: t.customers, options: peopleOptions(results, act) },
    { title: t.products, options: productOptions(results, act) },
  ];
  // Offered early, it would move away under the pointer once something is found.
  const stranger = isWhole && session.can('customers:read') && act?.of !== 'product' && byId.length === 0;
  const named = { title: t.strangers, options: stranger ? byName(text, people, act) : [] };
  if (act) return [...known, named];
  const found = pages.filter(({ menu }) => holds(menu.title, text));
  return [
    ...known,
    { title: t.byId, options: byId },
    {
      title: t.pages,
      options: found.map(({ path, menu }) => ({
        key: path,
        picture: bullet(menu.icon),
        words: menu.title,
        to: link(path),
      })),
    },
    { title: t.acts, options: actOptions(results, allowed, onAct) },
    named,
  ];
};

/** Reads what a text could mean, as far as the key allows it. */
const useResults = (text: string, act: Act | undefined) => {
  const session = useSession();
  const is = (thing: Act['of']): boolean => act === undefined || act.of === thing;
  const people = useAnswer(text, async (typed, signal) => (is('customer') ? findPeople(session, typed, signal) : []));
  const products = useAnswer(text, async (typed) => (is('product') ? findProducts(session, typed.trim()) : []));
  const byId = useAnswer(text, async (typed, signal) => (act ? [] : findById(session, typed, signal)));
  const answers = [people, products, byId];
  // Customers come first, so that nobody waits for the rest once there are some.
  const isFound = people?.text === text && people.found !== undefined && people.found.length > 0;
  return {
    results: {
      text,
      people: people?.found ?? [],
      products: products?.found ?? [],
      byId: byId?.found ?? [],
    },
    isWhole: answers.every((answer) => answer?.text === text),
    isAsking: text !== '' && !isFound && answers.some((answer) => answer?.text !== text),
    hasFailed: answers.some((answer) => answer && answer.found === undefined),
  };
};

/** The words of an option, with what was typed in them. */
const Marked = ({ words, text }: { words: string; text: string }) => {
  const at = words.toLowerCase().indexOf(text);
  if (text === '' || at < 0) return <>{words}</>;
  const end = at + text.length;
  return (
    <>
      {words.slice(0, at)}
      <mark>{words.slice(at, end)}</mark>
      {words.slice(end)}
    </>
  );
};

interface ListProps {
  id: string;
  groups: readonly Group[];
  text: string;
  active: Option | undefined;
  choose: (option: Option) => void;
}

const List = ({ id, groups, text, active, choose }: ListProps) => (
  <div id={id} class="found" role="listbox" aria-label={t.title}>
    {groups.map(({ title, options }) => (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of a listbox.
      <div key={title} role="group" aria-label={title}>
        <div class="help" aria-hidden="true">
          {title}
        </div>
        {options.map((option) => (
          <a
            key={option.key}
            id={option === active ? `${id}-active` : undefined}
            role="option"
            href={option.to ?? '#/'}
            tabIndex={-1}
            aria-selected={option === active}
            // The box keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={(event) => {
              if (option.to && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
              event.preventDefault();
              choose(option);
            }}
          >
            {option.picture}
            <span>
              <Marked words={option.words} text={text} />
              {option.note && <small>{option.note}</small>}
            </span>
          </a>
        ))}
      </div>
    ))}
  </div>
);

const Keys = () => (
  <p class="help keys" aria-hidden="true">
    <span>
      <kbd>↑</kbd> <kbd>↓</kbd> {t.keys.choose}
    </span>
    <span>
      <kbd>↵</kbd> {t.keys.open}
    </span>
    <span>
      <kbd>Ctrl</kbd> <kbd>↵</kbd> {t.keys.newTab}
    </span>
  </p>
);

/** The sentence below the list. */
const saidOf = (
  { results, isAsking, hasFailed }: ReturnType<typeof useResults>,
  options: readonly Option[],
): string => {
  const { text } = results;
  if (text === '') return options.length === 0 ? t.hint : '';
  if (hasFailed) return t.failed;
  if (isAsking || options.some(({ key }) => key !== 'name')) return '';
  return isName(copiedName(text)) ? t.nobody(text) : t.none;
};

/** The list of the search. The box keeps the focus: it hears the keys, and tells which option is chosen. */
export const Found = ({ box, pages }: { box: SearchBox; pages: readonly MenuPage[] }) => {
  const { input, text, pressed } = box;
  const session = useSession();
  const [act, setAct] = useState<Act>();
  const [chosen, setChosen] = useState<string>();
  const id = useId();
  const answer = useResults(text, act);
  const onAct = (next: Act) => {
    setAct(next);
    box.ask(`${t.does[next.name][0]}: ${t.ask[next.of ?? 'product']}`);
  };
  const groups = (
    text === '' ? [{ title: t.last, options: lastOptions(pages, act) }] : groupsOf(answer, pages, session, act, onAct)
  ).filter(({ options }) => options.length > 0);
  const options = groups.flatMap((group) => group.options);
  const index = Math.max(
    0,
    options.findIndex(({ key }) => key === chosen),
  );
  const active = options[index];
  const choose = ({ to, press }: Option, inNewTab = false) => {
    if (press) press();
    else if (to && inNewTab) open(to);
    else if (to) {
      box.close();
      go(to);
    }
  };
  useLayoutEffect(() => setChosen(undefined), [text, act]);
  useLayoutEffect(() => {
    input.setAttribute('aria-expanded', String(active !== undefined));
    input.setAttribute('aria-controls', active ? id : '');
    input.setAttribute('aria-activedescendant', active ? `${id}-active` : '');
    document.getElementById(`${id}-active`)?.scrollIntoView({ block: 'nearest' });
    const follow = (event: KeyboardEvent) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      setChosen(options[(index + step + options.length) % options.length]?.key);
    };
    input.addEventListener('keydown', follow);
    return () => input.removeEventListener('keydown', follow);
  });
  // An Enter waits for what is still being read.
  useLayoutEffect(() => {
    if (!pressed || answer.isAsking) return;
    box.press(undefined);
    if (active) choose(active, pressed.inNewTab);
  }, [pressed, answer.isAsking]);
  return (
    <>
      {active && <List id={id} groups={groups} text={text.trim().toLowerCase()} active={active} choose={choose} />}
      <p class="help" role="status">
        {saidOf(answer, options)}
      </p>
      <Keys />
    </>
  );
};
