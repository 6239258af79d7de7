import { useState } from 'preact/hooks';
import type { CouponResponse } from '../../client/client.ts';
import { link, pathSegment, useAddress } from '../address.ts';
import { ago, count, date } from '../format.ts';
import { type Action, menuColumn } from '../parts/actions.tsx';
import type { Column } from '../parts/column.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { later } from '../parts/later.tsx';
import { CustomerLink, Filter, List, State } from '../parts/list.tsx';
import { useList } from '../parts/rows.ts';
import { useSay } from '../parts/toast.tsx';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { t } from './coupon.texts.ts';
import { type CouponProps, Create, EditCoupon } from './coupon-form.tsx';
import { LimitCoupon, lastDay } from './coupon-limits.tsx';

const Changes = later(async () => (await import('../parts/changes.tsx')).Changes);

const scopeOf = (productId: string | undefined) =>
  productId ? ({ scope: 1, productId } as const) : ({ scope: 0 } as const);

const Apply = ({ coupon: { id, code }, onClose }: CouponProps) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={`${t.apply.open}: ${code}`} onClose={onClose}>
      <Form
        submit={t.apply.submit}
        onCancel={onClose}
        onSend={async ({ identifier = '', productId, expiresInHours }) => {
          const applied = await client.post('/v1/customers/{identifier}/actions/apply-coupon', {
            path: { identifier: pathSegment(identifier) },
            body: {
              couponId: id,
              ...scopeOf(productId),
              ...(expiresInHours && { expiresInHours: Number(expiresInHours) }),
            },
          });
          onClose();
          say(t.apply.done(applied.code, applied.customerUsername, ago(applied.expiresAt)));
        }}
      >
        <Field type="person" name="identifier" label={t.apply.customer} autoFocus />
        <Field name="expiresInHours" label={t.apply.hours} type="number" min="1" initial="24" />
        <Field type="product" name="productId" label={t.apply.product} help={t.apply.productHelp} />
      </Form>
    </Dialog>
  );
};

const Revoke = ({ coupon: { id, code }, onClose }: CouponProps) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={`${t.revoke.open}: ${code}`} onClose={onClose}>
      <Form
        submit={t.revoke.submit}
        onCancel={onClose}
        onSend={async ({ identifier = '', productId }) => {
          const { revoked } = await client.post('/v1/customers/{identifier}/actions/revoke-coupon', {
            path: { identifier: pathSegment(identifier) },
            body: { couponId: id, ...scopeOf(productId) },
          });
          onClose();
          say(revoked ? t.revoke.done(code, identifier) : t.revoke.none(code, identifier));
        }}
      >
        <Field type="person" name="identifier" label={t.apply.customer} autoFocus />
        <Field type="product" name="productId" label={t.apply.product} help={t.revoke.productHelp} />
      </Form>
    </Dialog>
  );
};

/** Disables a coupon, or enables it again. It is read first, so that nothing else of it changes. */
const setActive = async ({ client }: Session, id: string, active: boolean): Promise<void> => {
  const { code, discount, ownerProfit, bloggersSync } = await client.get('/v1/coupons/{id}', { path: { id } });
  await client.put('/v1/coupons/{id}', { path: { id }, body: { code, discount, ownerProfit, bloggersSync, active } });
};

const couponMenu = (session: Session, say: ReturnType<typeof useSay>, reload: () => void) => {
  const { can } = session;
  const turn = async ({ id, code }: CouponResponse, active: boolean) => {
    await setActive(session, id, active);
    reload();
    say(active ? t.enable.done(code) : t.disable.done(code));
  };
  return (coupon: CouponResponse) => {
    const { id, code, active } = coupon;
    const opens = (Opened: typeof Apply, text: string): Action => ({
      text,
      opens: (onClose) => <Opened coupon={coupon} reload={reload} onClose={onClose} />,
    });
    return {
      of: code,
      id,
      all: [
        can('coupons:apply') && active && opens(Apply, t.apply.short),
        can('coupons:apply') && opens(Revoke, t.revoke.short),
        can('coupons:write') && opens(EditCoupon, t.edit),
        can('coupons:write') && opens(LimitCoupon, t.limits.open),
        can('journal:read') && { text: t.changes, to: link('/coupons', { coupon: id }) },
        can('coupons:write') && {
          text: active ? t.disable.open : t.enable.open,
          press: () => turn(coupon, !active),
        },
      ],
    };
  };
};

const couponColumns = (menuOf: ReturnType<typeof couponMenu>): Column<CouponResponse>[] => [
  {
    heading: t.code,
    cell: ({ code }) => <b>{code}</b>,
    value: ({ code }) => code,
    sort: { name: 'code', kind: 'text' },
  },
  {
    heading: t.discount,
    cell: ({ discount }) => `${discount} %`,
    value: ({ discount }) => discount,
    sort: { name: 'discount', kind: 'size' },
    isNumber: true,
  },
  {
    heading: t.commission,
    cell: ({ ownerProfit }) => (ownerProfit > 0 ? `${ownerProfit} %` : '–'),
    value: ({ ownerProfit }) => ownerProfit,
    sort: { name: 'commission', kind: 'size' },
    priority: 2,
    isNumber: true,
  },
  {
    heading: t.limits.last,
    inRow: 'label',
    cell: (coupon) => (lastDay(coupon) === '' ? '–' : <span class="whole">{date(coupon.expiration)}</span>),
    value: ({ expiration }) => expiration,
    sort: { name: 'last', kind: 'time', by: (coupon) => (lastDay(coupon) === '' ? null : coupon.expiration) },
  },
  {
    heading: t.limits.uses,
    cell: ({ usesPerCustomer }) => (usesPerCustomer > 0 ? count(usesPerCustomer) : '–'),
    value: ({ usesPerCustomer }) => usesPerCustomer,
    sort: { name: 'uses', kind: 'size', by: (coupon) => coupon.usesPerCustomer || null },
    priority: 3,
    isNumber: true,
  },
  {
    heading: t.owner,
    cell: ({ couponOwnerUuid, couponOwnerUsername }) => (
      <CustomerLink uuid={couponOwnerUuid} name={couponOwnerUsername} />
    ),
    value: ({ couponOwnerUsername }) => couponOwnerUsername,
    sort: { name: 'owner', kind: 'text' },
  },
  {
    heading: t.state,
    inRow: 'main',
    cell: ({ active, expiration }) =>
      active && Date.parse(expiration) <= Date.now() ? (
        <State tone="warn">{t.limits.expired}</State>
      ) : (
        <State tone={active ? 'good' : 'plain'}>{active ? t.active : t.inactive}</State>
      ),
    value: ({ active }) => active,
    sort: { name: 'state', kind: 'text', by: ({ active }) => (active ? t.active : t.inactive) },
  },
  menuColumn(menuOf),
];

export const CouponsPage = () => {
  const session = useSession();
  const { client, can } = session;
  const say = useSay();
  const { query } = useAddress();
  const [isCreating, setCreating] = useState(false);
  const { coupon: one } = query;
  const filters = query.active ? { active: query.active === 'yes' } : {};
  const coupons = useList({
    columns: (reload) => couponColumns(couponMenu(session, say, reload)),
    keyOf: ({ id }) => id,
    read: async (page, signal) => {
      if (!one) return client.get('/v1/coupons', { query: { ...filters, ...page }, signal });
      const coupon = await client.get('/v1/coupons/{id}', { path: { id: one }, signal });
      return { data: [coupon], pagination: { nextCursor: null, previousCursor: null } };
    },
  });
  const [coupon] = coupons.shown;
  return (
    <>
      <Heading title={t.title}>
        {can('coupons:write') && (
          <button type="button" class="button is-main" onClick={() => setCreating(true)}>
            {t.create}
          </button>
        )}
      </Heading>
      {isCreating && <Create reload={coupons.reload} onClose={() => setCreating(false)} />}
      {one ? (
        <p class="spaced">
          <a href={link('/coupons')}>{t.all}</a>
        </p>
      ) : (
        <div class="filters">
          <Filter
            name="active"
            label={t.which}
            options={[
              ['', texts.list.all],
              ['yes', t.active],
              ['no', t.inactive],
            ]}
          />
        </div>
      )}
      <div class="stack">
        <List of={coupons} file="coupons" caption={t.caption} empty={query.active ? t.noneFits : t.none} />
        {one && coupon && can('journal:read') && <Changes subject={one} of={coupon} />}
      </div>
    </>
  );
};
