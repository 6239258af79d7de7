import '../parts/first-view.ts';
import { useState } from 'preact/hooks';
import type { ProductResponse, QuoteResponse } from '../../client/client.ts';
import { go, link } from '../address.ts';
import { money } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Lines } from '../parts/lines.tsx';
import { useLoad } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { priceLines } from './price-lines.ts';
import { t } from './sell.texts.ts';

/** A sale whose price the service has quoted. Its id is made once, so a second press makes no second sale. */
interface Offer {
  id: string;
  asked: { productId: string; buyerIdentifier: string; useCredit: boolean; inGroup: boolean };
  quote: QuoteResponse;
}

const Prices = ({ asked, quote, product }: Offer & { product: ProductResponse }) => (
  <Lines
    of={[
      [t.buyer, asked.buyerIdentifier],
      ...priceLines({ ...quote, at: Date.now() }, product),
      quote.credit > 0 && [t.byCredit, money(quote.credit)],
      quote.restrictedCredit > 0 && [t.byRestricted, money(quote.restrictedCredit)],
      [t.toPay, money(quote.toPay)],
      quote.bonus > 0 && [t.bonus, money(quote.bonus)],
    ]}
  />
);

/**
 * Sells a product without a vendor, for example to somebody who has paid the owner: shows the price first, then makes
 * the sale.
 */
export const Sell = ({ product, onClose }: { product: ProductResponse; onClose: () => void }) => {
  const { client } = useSession();
  const say = useSay();
  const [offer, setOffer] = useState<Offer>();
  const [refused, setRefused] = useState<string>();
  const { value: rules } = useLoad((signal) => client.get('/v1/store/rules', { signal }), []);
  return (
    <Dialog title={t.title(product.name)} onClose={onClose}>
      {refused && (
        <p class="notice is-bad" role="alert">
          {refused}
        </p>
      )}
      {offer ? (
        <Form
          key={offer.id}
          submit={t.submit(offer.quote.toPay)}
          onCancel={() => setOffer(undefined)}
          onSend={async ({ reference }) => {
            const { id, asked, quote } = offer;
            const sale = await client.post('/v1/sales', {
              body: {
                ...asked,
                id,
                paid: quote.toPay,
                ...(quote.quote !== null && { quote: quote.quote }),
                ...(reference && { reference }),
              },
            });
            if (sale.refusal !== null) {
              setRefused(t.refusals[sale.refusal]);
              setOffer(undefined);
              return;
            }
            onClose();
            go(link(`/sales/${encodeURIComponent(sale.id)}`));
            say(t.done(product.name));
          }}
        >
          <Prices {...offer} product={product} />
          <Field name="reference" label={t.reference} help={t.referenceHelp} maxLength={100} autoFocus />
        </Form>
      ) : (
        <Form
          submit={t.ask}
          onCancel={onClose}
          onSend={async ({ buyerIdentifier = '', useCredit, inGroup }) => {
            const asked = {
              productId: product.id,
              buyerIdentifier,
              useCredit: useCredit === 'on',
              inGroup: inGroup === 'on',
            };
            const quote = await client.post('/v1/quotes', { body: asked });
            setRefused(quote.refusal === null ? undefined : t.refusals[quote.refusal]);
            if (quote.refusal === null) setOffer({ id: crypto.randomUUID(), asked, quote });
          }}
        >
          <Field type="person" name="buyerIdentifier" label={t.buyerFilter} autoFocus />
          <Field name="useCredit" label={t.useCredit} type="checkbox" />
          {rules && (rules.groupDiscount > 0 || rules.bonus.groupPercent > 0) && (
            <Field name="inGroup" label={t.inGroup} type="checkbox" />
          )}
        </Form>
      )}
    </Dialog>
  );
};
