import { useEffect, useState } from 'preact/hooks';
import type { CreditLotResponse, CustomerResponse } from '../../client/client.ts';
import { copiedName } from '../../shared/copied-name.ts';
import { goInstead, link, pathSegment, useAddress } from '../address.ts';
import { money } from '../format.ts';
import { CustomerLink } from '../parts/list.tsx';
import { FaultBox, useLoad, Waiting } from '../parts/load.tsx';
import { useSession } from '../session.ts';
import { serviceNow, useLive } from './live.ts';
import { texts } from './texts.ts';
import { type Lot, Timeline } from './timeline.tsx';

const t = texts.credit;

type CreditType = CreditLotResponse['type'];

interface Holding {
  type: CreditType;
  balance: number;
  /** Open lots in the order in which they are spent, then the ended ones, the latest first. */
  lots: readonly Lot[];
  /** There are more open lots than were read. */
  isPart: boolean;
}

const isOpen = ({ state }: Lot): boolean => state === 'open' || state === 'due';

/** A lot. Its state is `due` if it has expired and the next change or sweep will close it. */
const shownLot = (lot: CreditLotResponse): Lot => ({
  ...lot,
  state: lot.state === 'open' && Date.parse(lot.expiresAt) <= serviceNow() ? 'due' : lot.state,
});

/** The parts of the balance in the order of spending, as shares of one bar. */
const Shares = ({ balance, lots, rest }: { balance: number; lots: readonly Lot[]; rest: number }) => {
  const parts = [
    ...lots.filter(isOpen).map(({ id, remaining, state }) => ({ id, amount: remaining, kind: state as string })),
    { id: 'rest', amount: rest, kind: 'permanent' },
  ].filter(({ amount }) => amount > 0);
  if (parts.length === 0) return null;
  return (
    <div class="shares" role="img" aria-label={t.order(parts)}>
      {parts.map(({ id, amount, kind }) => (
        <span key={id} class={`share is-${kind}`} title={money(amount)} style={{ flexGrow: amount / balance }} />
      ))}
    </div>
  );
};

const shownAtFirst = { open: 10, ended: 4 };

const Type = ({ held: { type, balance, lots, isPart } }: { held: Holding }) => {
  const [showsAll, setShowsAll] = useState(false);
  const open = lots.filter(isOpen);
  const ended = lots.filter((lot) => !isOpen(lot));
  const shown = showsAll ? lots : [...open.slice(0, shownAtFirst.open), ...ended.slice(0, shownAtFirst.ended)];
  const inLots = open.reduce((sum, { remaining }) => sum + remaining, 0);
  return (
    <section class={`held is-${type}`} aria-label={t.types[type]}>
      <header>
        <h3>{t.types[type]}</h3>
        <b class="balance">{money(balance)}</b>
        <span class="help">{isPart ? t.part(open.length) : t.sum(inLots, open.length, balance - inLots)}</span>
      </header>
      {!isPart && <Shares balance={balance} lots={lots} rest={balance - inLots} />}
      {shown.length > 0 && <Timeline lots={shown} />}
      {lots.length > shown.length || showsAll ? (
        <button type="button" class="button is-quiet" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? t.fewer : t.more(lots.length - shown.length)}
        </button>
      ) : null}
    </section>
  );
};

const Legend = () => (
  <ul class="legend" aria-label={t.legend}>
    {Object.entries(t.states).map(([state, name]) => (
      <li key={state}>
        <span class={`swatch is-${state}`} aria-hidden="true" /> {name}
      </li>
    ))}
  </ul>
);

const endedStates = ['drained', 'expired', 'superseded'] as const;
const most = 1000;

/** A customer's credit with every lot. */
const useCredit = (identifier: string, round: string) => {
  const { client } = useSession();
  return useLoad(
    async (signal) => {
      if (identifier === '') return undefined;
      const path = { identifier: pathSegment(identifier) };
      const listed = (state: CreditLotResponse['state']) =>
        client.get('/v1/customers/{identifier}/credit/lots', { path, query: { state, limit: most }, signal });
      const customer = await client.get('/v1/customers/{identifier}/credit', { path, signal });
      const [open, ...ended] = await Promise.all([listed('open'), ...endedStates.map(listed)]);
      const latest = ended.flatMap(({ data }) => data).sort((a, b) => ((a.endedAt ?? '') < (b.endedAt ?? '') ? 1 : -1));
      const heldOf = (type: CreditType, balance: number): Holding => ({
        type,
        balance,
        isPart: open.pagination.nextCursor !== null,
        lots: [...open.data, ...latest].filter((lot) => lot.type === type).map(shownLot),
      });
      return {
        customer,
        types: [heldOf('regular', customer.credit), heldOf('restricted', customer.restrictedCredit)],
      };
    },
    [identifier, round],
  );
};

// No event tells when a lot comes due.
const dueMillis = 30_000;

/** Counts up while the page is visible. */
const useTick = (): number => {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setTick((last) => last + 1), dueMillis);
    return () => clearInterval(timer);
  }, []);
  return tick;
};

/** Chooses the customer of the address. */
const Picker = ({ customers }: { customers: readonly CustomerResponse[] }) => {
  const { path, query } = useAddress();
  return (
    <form
      class="pick"
      onSubmit={(event) => {
        event.preventDefault();
        const customer = copiedName(String(new FormData(event.currentTarget).get('customer') ?? ''));
        if (customer === '') return;
        event.currentTarget.reset();
        goInstead(link(path, { ...query, customer }));
      }}
    >
      <input
        name="customer"
        list="customers"
        aria-label={t.customer}
        placeholder={t.placeholder}
        autoComplete="off"
        spellcheck={false}
      />
      <datalist id="customers">
        {customers.map(({ uuid, username, credit, restrictedCredit }) => (
          <option key={uuid} value={username} label={t.suggestion(credit, restrictedCredit)} />
        ))}
      </datalist>
      <button type="submit" class="button">
        {t.show}
      </button>
    </form>
  );
};

/** The credit of one customer over time. The address keeps the name. */
export const Credit = () => {
  const { client, can } = useSession();
  const { query } = useAddress();
  const { rounds } = useLive();
  const tick = useTick();
  const customers = useLoad(
    async (signal) => {
      const { data } = await client.get('/v1/customers', { query: { limit: most }, signal });
      return data.sort((a, b) => b.credit + b.restrictedCredit - (a.credit + a.restrictedCredit));
    },
    [rounds.credit],
  );
  const chosen = query.customer ?? customers.value?.[0]?.username ?? '';
  const { value, fault, reload } = useCredit(chosen, `${rounds.credit} ${tick}`);
  if (!can('customers:read', 'credits:read')) return <p class="empty">{t.noScope}</p>;
  return (
    <section class="card" aria-labelledby="credit">
      <header>
        <h2 id="credit">{t.title}</h2>
        <Picker customers={customers.value ?? []} />
      </header>
      {fault && (
        <FaultBox fault={fault.status === 404 ? { ...fault, errors: [t.nobody(chosen)] } : fault} onRetry={reload} />
      )}
      {value && !fault && (
        <>
          <p class="identity">
            <CustomerLink uuid={value.customer.uuid} name={value.customer.username} />
            <code>{value.customer.uuid}</code>
          </p>
          {value.types.map((held) => (
            <Type key={held.type} held={held} />
          ))}
          <Legend />
        </>
      )}
      {chosen === '' && customers.value && <p class="empty">{t.none}</p>}
      {!value && !fault && chosen !== '' && <Waiting />}
    </section>
  );
};
