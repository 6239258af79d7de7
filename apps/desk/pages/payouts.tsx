import { useState } from 'preact/hooks';
import type { PayeeResponse, PayoutResponse } from '../../client/client.ts';
import { useAddress } from '../address.ts';
import { readAtMost } from '../choice.ts';
import { ago, count, money, monthName, time } from '../format.ts';
import { type Action, Actions, menuColumn } from '../parts/actions.tsx';
import { amountColumn, type Column } from '../parts/column.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { CustomerLink, Export, FactList, Filter, List, State, Table } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { useList } from '../parts/rows.ts';
import { useSay } from '../parts/toast.tsx';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { failureWords } from '../words/failure.ts';
import { t } from './payouts.texts.ts';

const tones = { claimed: 'plain', unknown: 'warn', paid: 'good', failed: 'bad' } as const;

/** At most this many payouts are summed up by month. */
const maxSummed = 20_000;

/** At most this many avatars who are owed L$, and this many unknown payouts, are shown. The sums count all. */
const shown = 100;

/** The payouts of a month in UTC. */
interface Month {
  month: string;
  payouts: number;
  amount: number;
}

interface Overview {
  payees: PayeeResponse[];
  unknown: PayoutResponse[];
  months: Month[];
}

const monthsOf = async ({ client }: Session, signal: AbortSignal): Promise<Month[]> => {
  const months = new Map<string, Month>();
  let read = 0;
  for await (const { endedAt, createdAt, amount } of client.rows('/v1/payouts', {
    query: { state: 'paid', limit: 1000 },
    signal,
  })) {
    const month = (endedAt ?? createdAt).slice(0, 7);
    const { payouts = 0, amount: before = 0 } = months.get(month) ?? {};
    months.set(month, { month, payouts: payouts + 1, amount: before + amount });
    read += 1;
    if (read === maxSummed) break;
  }
  return [...months.values()].sort((a, b) => (a.month < b.month ? 1 : -1));
};

const readOverview = async (session: Session, signal: AbortSignal): Promise<Overview> => {
  const { client } = session;
  const [payees, unknown, months] = await Promise.all([
    readAtMost(client.rows('/v1/payees', { query: { owed: true, limit: 1000 }, signal })),
    readAtMost(client.rows('/v1/payouts', { query: { state: 'unknown', limit: 1000 }, signal })),
    monthsOf(session, signal),
  ]);
  return { payees: payees.sort((a, b) => b.owed - a.owed), unknown, months };
};

interface SettleProps {
  payout: PayoutResponse;
  reload: () => void;
}

type Result = 'paid' | 'failed';

/** The ways in which a payout may have ended, as far as nobody has said so. */
const resultsOf = ({ state }: PayoutResponse): readonly (readonly [Result, string])[] => {
  if (state === 'claimed') return [];
  if (state !== 'unknown') return [[state === 'paid' ? 'failed' : 'paid', t.correct]];
  return [
    ['paid', t.wasPaid],
    ['failed', t.wasNotPaid],
  ];
};

/** Says how a payout ended, after a question: a wrong word about it pays twice, or never. */
const Settle = ({ payout, result, reload, onClose }: SettleProps & { result: Result; onClose: () => void }) => {
  const { client } = useSession();
  const say = useSay();
  const { id, username, amount } = payout;
  return (
    <Confirm
      title={t.settle[result].title(amount, username)}
      text={t.settle[result].text(amount, username)}
      submit={t.settle[result].submit}
      onClose={onClose}
      onSend={async () => {
        await client.post('/v1/payouts/{id}/actions/settle', { path: { id }, body: { result } });
        onClose();
        say(result === 'paid' ? t.settledPaid(amount, username) : t.settledFailed(amount, username));
        reload();
      }}
    />
  );
};

const settleActions = ({ payout, reload }: SettleProps): Action[] =>
  resultsOf(payout).map(([result, text]) => ({
    text,
    opens: (onClose) => <Settle payout={payout} result={result} reload={reload} onClose={onClose} />,
  }));

const Unknown = ({ payouts, reload }: { payouts: PayoutResponse[]; reload: () => void }) => {
  const { can } = useSession();
  if (payouts.length === 0) return null;
  return (
    <section class="card is-warn" aria-labelledby="unknown">
      <h2 id="unknown">{t.unknown}</h2>
      <p class="help">{t.unknownHelp}</p>
      <ul class="rows">
        {payouts.slice(0, shown).map((payout) => (
          <li key={payout.id} class="row">
            <p>
              <b>
                {money(payout.amount)} <CustomerLink uuid={payout.residentUuid} name={payout.username} />
              </b>
              <span class="help">
                {[ago(payout.createdAt), payout.error && failureWords(payout.error)].filter(Boolean).join(' · ')}
              </span>
            </p>
            {can('payouts:settle') && <Actions all={settleActions({ payout, reload })} />}
          </li>
        ))}
      </ul>
      {payouts.length > shown && <p class="help">{t.cutUnknown(shown, payouts.length)}</p>}
    </section>
  );
};

/** Notes that a person has paid somebody. */
const PayByHand = ({ payee, reload, onClose }: { payee: PayeeResponse; reload: () => void; onClose: () => void }) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={t.pay.title(payee.username)} onClose={onClose}>
      <Form
        submit={t.pay.submit}
        onCancel={onClose}
        onSend={async ({ amount, reference }) => {
          const payout = await client.post('/v1/payees/{identifier}/actions/pay', {
            path: { identifier: payee.residentUuid },
            body: { amount: Number(amount || Number.NaN), ...(reference && { reference }) },
          });
          onClose();
          reload();
          say(t.pay.done(payout.amount, payout.username));
        }}
      >
        <p>{t.pay.text(payee.owed)}</p>
        <Field name="amount" label={t.pay.amount} type="number" min="1" initial={String(payee.owed)} autoFocus />
        <Field name="reference" label={t.pay.reference} help={t.pay.referenceHelp} maxLength={100} />
      </Form>
    </Dialog>
  );
};

const payeeColumns = (canPay: boolean, reload: () => void): Column<PayeeResponse>[] => [
  {
    heading: t.name,
    cell: ({ residentUuid, username }) => <CustomerLink uuid={residentUuid} name={username} />,
    value: ({ username }) => username,
  },
  amountColumn(t.owed, ({ owed }) => owed, 'main'),
  amountColumn(t.claimed, ({ claimed }) => claimed, 'note'),
  amountColumn(t.unknownAmount, ({ unknown }) => unknown, 'note'),
  amountColumn(t.paidSoFar, ({ paid }) => paid, 'note'),
  menuColumn((payee) => ({
    of: payee.username,
    id: payee.residentUuid,
    all: [
      canPay && { text: t.pay.open, opens: (onClose) => <PayByHand payee={payee} reload={reload} onClose={onClose} /> },
    ],
  })),
];

const monthColumns: readonly Column<Month>[] = [
  { heading: t.month, cell: ({ month }) => monthName(month), value: ({ month }) => month },
  { heading: t.payments, cell: ({ payouts }) => count(payouts), value: ({ payouts }) => payouts, isNumber: true },
  amountColumn(t.amount, ({ amount }) => amount, 'main'),
];

/** Why a payout failed, and the reference of the person who settled it. */
const detailsOf = ({ error, reference }: PayoutResponse): string =>
  [error && failureWords(error), reference].filter(Boolean).join(' · ');

const payoutColumns = (reload: () => void, canSettle: boolean): readonly Column<PayoutResponse>[] => [
  {
    heading: t.at,
    cell: ({ createdAt }) => <span class="whole">{time(createdAt)}</span>,
    value: (row) => row.createdAt,
    sort: { name: 'at', kind: 'time' },
  },
  {
    heading: t.name,
    cell: ({ residentUuid, username }) => <CustomerLink uuid={residentUuid} name={username} />,
    value: ({ username }) => username,
    sort: { name: 'name', kind: 'text' },
  },
  amountColumn(t.amount, ({ amount }) => amount, 'main', 'amount'),
  {
    heading: t.state,
    inRow: 'main',
    cell: ({ state }) => <State tone={tones[state]}>{t.states[state]}</State>,
    value: ({ state }) => t.states[state],
    sort: { name: 'state', kind: 'text' },
  },
  {
    heading: t.details,
    cell: (payout) => detailsOf(payout) || '–',
    value: detailsOf,
  },
  menuColumn((payout) => ({
    of: t.of(payout.amount, payout.username),
    id: payout.id,
    all: canSettle ? settleActions({ payout, reload }) : [],
  })),
];

const isState = (text: string | undefined): text is PayoutResponse['state'] => Object.hasOwn(tones, text ?? '');

/** Every payout, narrowed by its state. */
const AllPayouts = ({ round, reload }: { round: number; reload: () => void }) => {
  const { client, can } = useSession();
  const { query } = useAddress();
  const filters = isState(query.state) ? { state: query.state } : {};
  const payouts = useList({
    columns: () => payoutColumns(reload, can('payouts:settle')),
    keyOf: ({ id }) => id,
    limit: 25,
    read: (page, signal) => client.get('/v1/payouts', { query: { ...filters, ...page }, signal }),
    inputs: [round],
  });
  return (
    <section class="stack" aria-labelledby="all">
      <h2 id="all">{t.all}</h2>
      <div class="filters">
        <Filter name="state" label={t.state} options={[['', texts.list.all], ...Object.entries(t.states)]} />
      </div>
      <List of={payouts} file="payouts" caption={t.all} empty={t.none} />
    </section>
  );
};

const Sums = ({ payees, unknown, months }: Overview) => {
  const sum = (of: (payee: PayeeResponse) => number) => payees.reduce((before, payee) => before + of(payee), 0);
  const thisMonth = new Date().toISOString().slice(0, 7);
  return (
    <FactList
      of={[
        [t.owedInAll, money(sum(({ owed }) => owed))],
        [t.unknownAmount, money(unknown.reduce((before, { amount }) => before + amount, 0))],
        [t.paidThisMonth, money(months.find(({ month }) => month === thisMonth)?.amount ?? 0)],
      ]}
    />
  );
};

export const PayoutsPage = () => {
  const session = useSession();
  const [round, setRound] = useState(0);
  const overview = useLoad((signal) => readOverview(session, signal), [round]);
  const reload = () => setRound((last) => last + 1);
  const columns = payeeColumns(session.can('payouts:settle'), reload);
  return (
    <>
      <Heading title={t.title} />
      <div class="stack home">
        <Show of={overview}>
          {(all) => (
            <div class="stack">
              <Sums {...all} />
              <Unknown payouts={all.unknown} reload={reload} />
              <section class="stack" aria-labelledby="owed">
                <h2 id="owed">{t.whoIsOwed}</h2>
                <Table
                  caption={t.whoIsOwed}
                  columns={columns}
                  rows={all.payees.slice(0, shown)}
                  keyOf={({ residentUuid }) => residentUuid}
                  empty={t.nobodyOwed}
                  foot={{ said: texts.list.count(all.payees.length), rows: all.payees }}
                />
                {all.payees.length > shown && <p class="help">{t.cut(shown, all.payees.length)}</p>}
                {all.payees.length > 0 && (
                  <nav class="pages" aria-label={t.whoIsOwed}>
                    <Export columns={columns} all={() => all.payees} file="owed" />
                  </nav>
                )}
              </section>
              {all.months.length > 0 && (
                <section class="stack" aria-labelledby="months">
                  <h2 id="months">{t.byMonth}</h2>
                  <Table
                    caption={t.byMonth}
                    columns={monthColumns}
                    rows={all.months}
                    keyOf={({ month }) => month}
                    empty={t.none}
                  />
                  <nav class="pages" aria-label={t.byMonth}>
                    <Export columns={monthColumns} all={() => all.months} file="paid-by-month" />
                  </nav>
                </section>
              )}
            </div>
          )}
        </Show>
        <AllPayouts round={round} reload={reload} />
      </div>
    </>
  );
};
