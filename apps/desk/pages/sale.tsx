import { useEffect, useState } from 'preact/hooks';
import type { ProductResponse, SaleResponse } from '../../client/client.ts';
import { earnedBy } from '../../shared/earnings.ts';
import { goInstead, link, useAddress } from '../address.ts';
import { money, time } from '../format.ts';
import { Actions } from '../parts/actions.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { type Line, Lines } from '../parts/lines.tsx';
import { State } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { NamedCustomer, ProductLink, VendorLink } from '../parts/names.tsx';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { deliveryWords } from '../words/delivery.ts';
import { failureWords } from '../words/failure.ts';
import { tones } from '../words/sale.ts';
import { DeliveryState, Retry } from './deliveries.tsx';
import { priceLines } from './price-lines.ts';
import { t } from './sale.texts.ts';

interface SaleProps {
  sale: SaleResponse;
  reload: () => void;
}

/** The L$ that a refund gives back besides credit: everything that was paid, less what was given back at the sale. */
const dueOf = ({ paid, change }: SaleResponse): number => paid - change;

const totalCredit = ({ credit, restrictedCredit }: SaleResponse): number => credit + restrictedCredit;

export const Refund = ({ sale, reload, onClose }: SaleProps & { onClose: () => void }) => {
  const { client } = useSession();
  const say = useSay();
  const due = dueOf(sale);
  const credit = totalCredit(sale);
  const [isPaidOut, setPaidOut] = useState(false);
  return (
    <Dialog title={t.refund.title} onClose={onClose}>
      <Form
        submit={t.refund.submit}
        isDangerous
        onCancel={onClose}
        onValues={({ payOut }) => setPaidOut(payOut === 'on')}
        onSend={async ({ reason, reference, payOut }) => {
          const refunded = await client.post('/v1/sales/{id}/actions/refund', {
            path: { id: sale.id },
            body: {
              ...(reason && { reason }),
              ...(reference && { reference }),
              ...(payOut === 'on' && { payOut: true }),
            },
          });
          onClose();
          reload();
          const left = refunded.refund - refunded.change;
          say(refunded.payOut ? t.refund.donePayOut(left) : t.refund.done(left));
        }}
      >
        <div class="effect">
          {due > 0 && <p>{isPaidOut ? t.refund.willPayOut(due) : t.refund.willGive(due)}</p>}
          {credit > 0 && <p>{t.refund.willCredit(credit)}</p>}
          {due + credit === 0 && <p>{t.refund.willNothing}</p>}
          <p>{t.refund.willTake}</p>
        </div>
        {due > 0 && sale.buyerUuid !== null && (
          <Field name="payOut" label={t.refund.payOut} help={t.refund.payOutHelp} type="checkbox" />
        )}
        <Field name="reason" label={t.refund.reason} help={t.refund.reasonHelp} maxLength={200} autoFocus />
        <Field name="reference" label={t.refund.reference} help={t.refund.referenceHelp} maxLength={100} />
      </Form>
    </Dialog>
  );
};

/** The prices, line by line: from the product's price to the shares of the L$ that others are owed. */
const PriceList = ({ sale, product }: { sale: SaleResponse; product: ProductResponse | undefined }) => {
  const { at, total, credit, restrictedCredit, paid, change, refund, state, shares, bonus } = sale;
  return (
    <section class="card" aria-labelledby="prices">
      <h2 id="prices">{t.prices}</h2>
      <Lines
        of={[
          ...priceLines({ ...sale, at: Date.parse(at) }, product),
          [t.total, money(total)],
          credit > 0 && [t.byCredit, money(credit)],
          restrictedCredit > 0 && [t.byRestricted, money(restrictedCredit)],
          [t.paid, money(paid)],
          change > 0 && [t.change, money(change)],
          state === 'refunded' && [t.refunded, money(refund - change)],
          // A refund takes them back.
          ...(state === 'refunded' ? [] : shares).map(
            ({ kind, percent, amount, residentUuid }): Line => [
              t.share[kind](percent),
              <span key={residentUuid}>
                <NamedCustomer uuid={residentUuid} /> {money(amount)}
              </span>,
              'own',
            ],
          ),
          [t.yours, <b key="yours">{money(earnedBy(sale).yours)}</b>, 'own'],
          bonus > 0 && [t.bonus, money(bonus)],
        ]}
      />
    </section>
  );
};

const Prices = ({ sale }: { sale: SaleResponse }) => {
  const { client, can } = useSession();
  const { productId: id } = sale;
  const product = useLoad(
    async (signal) =>
      can('products:read') ? client.get('/v1/products/{id}', { path: { id }, signal }).catch(() => null) : null,
    [id],
  );
  return <Show of={product}>{(read) => <PriceList sale={sale} product={read ?? undefined} />}</Show>;
};

const Delivery = ({ id }: { id: string }) => {
  const { client, can } = useSession();
  const loaded = useLoad((signal) => client.get('/v1/deliveries/{id}', { path: { id }, signal }), [id]);
  const isUnknown = loaded.fault?.status === 404;
  const isUnderWay = isUnknown || loaded.value?.state === 'queued';
  const [looks, setLooks] = useState(0);
  // A delivery is normally made within a few seconds of its sale.
  useEffect(() => {
    if (!isUnderWay || looks >= 10) return;
    const timer = setTimeout(() => {
      setLooks(looks + 1);
      loaded.reload();
    }, 2000);
    return () => clearTimeout(timer);
  }, [isUnderWay, looks]);
  return (
    <section class="card is-own" aria-labelledby="delivery">
      <h2 id="delivery">{t.delivery}</h2>
      {loaded.value === undefined && (isUnknown || (looks > 0 && !loaded.fault)) ? (
        <p class="help">{t.deliveryNone}</p>
      ) : (
        <Show of={loaded}>
          {(delivery) => (
            <>
              <Lines
                of={[
                  [deliveryWords.item, delivery.item],
                  [deliveryWords.state, <DeliveryState key="state" of={delivery} />],
                  [deliveryWords.attempts, delivery.attempts],
                  delivery.lastError !== null && [deliveryWords.error, failureWords(delivery.lastError)],
                ]}
              />
              {can('products:deliver') && <Retry delivery={delivery} reload={loaded.reload} />}
            </>
          )}
        </Show>
      )}
    </section>
  );
};

const Facts = ({ sale }: { sale: SaleResponse }) => {
  const { id, at, productId, buyerUuid, recipientUuid, vendorUuid, reference, refundedAt, refundReference, refusal } =
    sale;
  const { changePaid } = sale;
  const lines: (Line | false)[] = [
    [t.product, <ProductLink key="product" id={productId} />],
    buyerUuid !== null && [t.buyer, <NamedCustomer key="buyer" uuid={buyerUuid} />],
    recipientUuid !== null &&
      recipientUuid !== buyerUuid && [t.recipient, <NamedCustomer key="recipient" uuid={recipientUuid} />],
    [t.at, time(at)],
    vendorUuid !== null && [t.vendor, <VendorLink key="vendor" uuid={vendorUuid} />],
    changePaid !== null && [t.changePaid, `${money(changePaid.amount)}, ${time(changePaid.at)}`],
    refusal !== null && [t.refusal, t.refusals[refusal]],
    reference !== null && [t.reference, reference],
    refundedAt !== null && [t.refundedAt, time(refundedAt)],
    refundReference !== null && [t.refundReference, refundReference],
    [t.id, <code key="id">{id}</code>],
  ];
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">{t.facts}</h2>
      <Lines of={lines} />
    </section>
  );
};

/** Prints a page once nothing of it is being read any more. Its address asks for that once. */
const usePrint = (): void => {
  const { path, query } = useAddress();
  useEffect(() => {
    if (!query.print) return undefined;
    const looks = setInterval(() => {
      const main = document.querySelector('main');
      if (!main || main.querySelector('.waiting, [aria-busy=true]') || main.textContent?.includes('…')) return;
      clearInterval(looks);
      goInstead(link(path));
      print();
    }, 100);
    return () => clearInterval(looks);
  }, [query.print]);
};

export const SalePage = ({ id }: { id: string }) => {
  const { client, can } = useSession();
  const loaded = useLoad((signal) => client.get('/v1/sales/{id}', { path: { id }, signal }), [id]);
  usePrint();
  return (
    <Show of={loaded}>
      {(sale) => {
        const due = sale.refund - sale.change;
        return (
          <>
            <Heading title={t.one} thing={`/sales/${id}`} words={`${t.one}, ${time(sale.at)}`}>
              <State tone={tones[sale.state]}>{t.states[sale.state]}</State>
              <Actions
                all={[
                  sale.state === 'completed' &&
                    can('sales:refund') && {
                      text: t.refund.open,
                      opens: (onClose) => <Refund sale={sale} reload={loaded.reload} onClose={onClose} />,
                      isMain: true,
                    },
                ]}
              />
            </Heading>
            {sale.state === 'refunded' && due > 0 && (
              <p class={`notice is-own ${sale.payOut ? '' : 'is-warn '}spaced`}>
                {sale.payOut ? t.refund.paysOut(due) : t.refund.give(due)}
              </p>
            )}
            <div class="charts is-sale">
              <Facts sale={sale} />
              <Prices sale={sale} />
              {sale.deliveryId !== null && can('deliveries:read') && <Delivery id={sale.deliveryId} />}
            </div>
          </>
        );
      }}
    </Show>
  );
};
