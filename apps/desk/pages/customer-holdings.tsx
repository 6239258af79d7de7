import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CustomerCouponResponse, OwnedProductResponse } from '../../client/client.ts';
import { useAddress } from '../address.ts';
import { shownWorth, useWorth } from '../card-worth.ts';
import { ago } from '../format.ts';
import { ProductName, State } from '../parts/list.tsx';
import { FaultBox, type PressState, Show, useLoad, usePress } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { t } from './customer.texts.ts';
import type { CustomerProps } from './customer-props.ts';

/** True once the seconds are over that a refusal named, until the next press. The refusal is cleared then. */
const useWaited = ({ fault, clear, isBusy }: PressState): boolean => {
  const [hasWaited, setWaited] = useState(false);
  // The seconds run from the moment at which the refusal is visible. An effect after the paint would begin later.
  useLayoutEffect(() => {
    const [, seconds] = /again in (\d+) seconds?\.$/.exec(fault?.text ?? '') ?? [];
    if (seconds === undefined) return undefined;
    setWaited(false);
    const timer = setTimeout(() => {
      setWaited(true);
      clear();
    }, Number(seconds) * 1000);
    return () => clearTimeout(timer);
  }, [fault]);
  useLayoutEffect(() => {
    if (isBusy) setWaited(false);
  }, [isBusy]);
  return hasWaited;
};

const Owned = ({ customer, product, reload }: CustomerProps & { product: OwnedProductResponse }) => {
  const { client, can } = useSession();
  const say = useSay();
  const { productId, name, boughtAt, quantity } = product;
  const sending = usePress(async () => {
    await client.post('/v1/customers/{identifier}/products/{productId}/actions/redeliver', {
      path: { identifier: customer.uuid, productId },
    });
    say(t.redeliver.done(name, customer.username));
    reload();
  });
  const hasWaited = useWaited(sending);
  return (
    <li class="row">
      <ProductName of={{ id: productId, name }}>
        <span class="help">{t.bought(ago(boughtAt), quantity)}</span>
      </ProductName>
      {can('products:redeliver') && (
        <button
          type="button"
          class="button"
          aria-label={t.redeliver.of(name)}
          aria-disabled={sending.isBusy}
          onClick={sending.press}
        >
          {t.redeliver.open}
        </button>
      )}
      {sending.fault && <FaultBox fault={sending.fault} />}
      {hasWaited && !sending.fault && (
        <p class="notice" role="status">
          {t.redeliver.waited}
        </p>
      )}
    </li>
  );
};

const OwnedProducts = (props: CustomerProps) => {
  const { client } = useSession();
  const { customer, round } = props;
  const [limit, setLimit] = useState(10);
  const loaded = useLoad(
    (signal) =>
      client.get('/v1/customers/{identifier}/products', {
        path: { identifier: customer.uuid },
        query: { limit },
        signal,
      }),
    [customer.uuid, round, limit],
  );
  const section = useRef<HTMLElement>(null);
  const { query } = useAddress();
  // The search leads here to send something again.
  useLayoutEffect(() => {
    if (query.do === 'send' && loaded.value) section.current?.querySelector('button')?.focus();
  }, [query.do, loaded.value !== undefined]);
  return (
    <section ref={section} class="card" aria-labelledby="owned">
      <h2 id="owned">{t.ownedTitle}</h2>
      <Show of={loaded}>
        {({ data, pagination }) => (
          <>
            {data.length === 0 && <p class="help">{t.ownedNone}</p>}
            <ul class="rows">
              {data.map((product) => (
                <Owned key={product.productId} {...props} product={product} />
              ))}
            </ul>
            {pagination.nextCursor !== null && limit < 1000 && (
              <button type="button" class="button" onClick={() => setLimit(Math.min(limit * 10, 1000))}>
                {t.more}
              </button>
            )}
          </>
        )}
      </Show>
    </section>
  );
};

const Coupon = ({ customer, coupon, reload }: CustomerProps & { coupon: CustomerCouponResponse }) => {
  const { client, can } = useSession();
  const say = useSay();
  const { couponId, code, discount, expiresAt, productId } = coupon;
  const revoking = usePress(async () => {
    await client.post('/v1/customers/{identifier}/actions/revoke-coupon', {
      path: { identifier: customer.uuid },
      body: { couponId, ...(productId === undefined ? { scope: 0 } : { scope: 1, productId }) },
    });
    say(t.coupon.revoked(code));
    reload();
  });
  return (
    <li class="row">
      <p>
        <b>{code}</b> <span class="help">{t.coupon.until(discount, ago(expiresAt))}</span>
      </p>
      {can('coupons:apply') && (
        <button type="button" class="button" aria-disabled={revoking.isBusy} onClick={revoking.press}>
          {t.coupon.revoke}
        </button>
      )}
      {revoking.fault && <FaultBox fault={revoking.fault} />}
    </li>
  );
};

const Coupons = (props: CustomerProps) => {
  const { client } = useSession();
  const { customer, round } = props;
  const loaded = useLoad(
    (signal) => client.get('/v1/customers/{identifier}/coupons', { path: { identifier: customer.uuid }, signal }),
    [customer.uuid, round],
  );
  // Most customers have none, so there is a card only if there is a first one.
  if (!loaded.fault && !loaded.value?.data.length) return null;
  return (
    <section class="card" aria-labelledby="coupons">
      <h2 id="coupons">{t.coupon.live}</h2>
      <Show of={loaded}>
        {({ data }) => (
          <ul class="rows">
            {data.map((coupon) => (
              <Coupon key={`${coupon.couponId} ${coupon.productId}`} {...props} coupon={coupon} />
            ))}
          </ul>
        )}
      </Show>
    </section>
  );
};

const GiftCards = ({ customer, round }: CustomerProps) => {
  const { client } = useSession();
  const loaded = useLoad(
    (signal) =>
      client.get('/v1/customers/{identifier}/giftcards', {
        path: { identifier: customer.uuid },
        query: { limit: 20 },
        signal,
      }),
    [customer.uuid, round],
  );
  const worthOf = useWorth(loaded.value?.data ?? []);
  // Most customers have none, so there is a card only if there is a first one.
  if (!loaded.fault && !loaded.value?.data.length) return null;
  return (
    <section class="card" aria-labelledby="cards">
      <h2 id="cards">{t.cards.title}</h2>
      <Show of={loaded}>
        {({ data }) => (
          <ul class="rows">
            {data.map((card) => (
              <li key={card.id} class="row">
                <p>
                  <b>{shownWorth(worthOf(card))}</b> <code>{card.id}</code>
                </p>
                {card.redeemed ? (
                  <State tone="plain">{t.cards.redeemed}</State>
                ) : card.active ? (
                  <State tone="good">{t.cards.open}</State>
                ) : (
                  <State tone="warn">{t.cards.disabled}</State>
                )}
              </li>
            ))}
          </ul>
        )}
      </Show>
    </section>
  );
};

/** The products, coupons and gift cards that a customer has. */
export const Holdings = (props: CustomerProps) => {
  const { can } = useSession();
  return (
    <>
      <OwnedProducts {...props} />
      {can('coupons:read') && <Coupons {...props} />}
      {can('giftcards:read') && <GiftCards {...props} />}
    </>
  );
};
