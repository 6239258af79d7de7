import { useCallback, useState } from 'preact/hooks';
import type { CustomerResponse, CustomerSpendResponse } from '../../client/client.ts';
import { useForm } from '../address.ts';
import { money } from '../format.ts';
import { Copy } from '../parts/copy.tsx';
import { Heading } from '../parts/heading.tsx';
import { FactList, State } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { Avatar } from '../parts/picture.tsx';
import { type Session, useSession } from '../session.ts';
import { t } from './customer.texts.ts';
import { CustomerActions, GiveCredit } from './customer-actions.tsx';
import { Holdings } from './customer-holdings.tsx';
import { Lots } from './customer-lots.tsx';
import type { Balances, CustomerProps } from './customer-props.ts';
import { Timeline } from './customer-timeline.tsx';

/** History is made from the table's stream, normally within a second of the change. */
const historyMillis = 1500;

const read = async ({ client, can }: Session, identifier: string, signal: AbortSignal) => {
  const path = { identifier };
  const [customer, spend] = await Promise.all([
    client.get('/v1/customers/{identifier}', { path, signal }),
    client.get('/v1/customers/{identifier}/spend', { path, signal }),
  ]);
  if (!can('credits:read')) return { customer, spend };
  const { credit, restrictedCredit } = await client.get('/v1/customers/{identifier}/credit', { path, signal });
  return { customer: { ...customer, credit, restrictedCredit }, spend };
};

/** Grows with each reload. `known` is what a write answered, until its round is read. */
interface Round {
  round: number;
  known: { balances: Balances; round: number } | undefined;
}

const nextRound = ({ round, known }: Round, balances?: Balances): Round => ({
  round: round + 1,
  known: balances ? { balances, round: round + 1 } : known,
});

const Facts = ({ customer, spend }: { customer: CustomerResponse; spend: CustomerSpendResponse }) => {
  return (
    <FactList
      of={[
        [t.credit, money(customer.credit)],
        [t.restricted, money(customer.restrictedCredit)],
        [t.spend, money(spend.sum)],
        [t.spendYear, money(spend.lastYearSum)],
        [t.discountFact, `${customer.discount} %`],
      ]}
    />
  );
};

export const CustomerPage = ({ identifier }: { identifier: string }) => {
  const session = useSession();
  const { can } = session;
  const [{ round, known }, setRound] = useState<Round>({ round: 0, known: undefined });
  const giving = useForm('give');
  const loaded = useLoad(
    async (signal) => ({ ...(await read(session, identifier, signal)), readIn: round }),
    [identifier, round],
  );
  const reload = useCallback((balances?: Balances) => {
    setRound((last) => nextRound(last, balances));
    setTimeout(() => setRound((last) => nextRound(last)), historyMillis);
  }, []);
  if (loaded.fault?.status === 404)
    return (
      <>
        <Heading title={t.unknown(identifier)} />
        <p class="help">{t.unknownHelp}</p>
      </>
    );
  return (
    <Show of={loaded}>
      {({ customer: found, spend, readIn }) => {
        const customer = known && readIn < known.round ? { ...found, ...known.balances } : found;
        const props: CustomerProps = { customer, round, reload };
        return (
          <>
            <Heading
              title={customer.username}
              thing={`/customers/${customer.uuid}`}
              picture={<Avatar id={customer.uuid} name={customer.username} isLarge />}
            >
              <CustomerActions {...props} identifier={identifier} onGive={giving.open} />
            </Heading>
            {giving.isOpen && can('credits:write') && (
              <GiveCredit {...props} identifier={identifier} onClose={giving.close} />
            )}
            <p class="identity">
              {customer.isBanned && <State tone="bad">{t.banned}</State>}
              <code>{customer.uuid}</code>
              <Copy text={customer.uuid} label={t.copy} said={t.copied} isQuiet />
            </p>
            {customer.isBanned && <p class="notice is-bad">{t.bannedText}</p>}
            <Facts customer={customer} spend={spend} />
            <div class="columns">
              <Timeline {...props} />
              <div class="stack">
                {can('credits:read') && <Lots {...props} />}
                <Holdings {...props} />
              </div>
            </div>
          </>
        );
      }}
    </Show>
  );
};
