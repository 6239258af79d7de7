import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { CouponResponse } from '../../client/client.ts';
import { pathSegment, useAddress } from '../address.ts';
import { ago, count, date } from '../format.ts';
import { type Action, Actions } from '../parts/actions.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Edit } from '../parts/edit.tsx';
import { Field, Form, type Values } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { type Column, CustomerLink, Filter, List, State } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { t } from './coupon.texts.ts';
import { LimitCoupon, lastDay } from './coupon-limits.tsx';

const couponValues = ({ code, discount, ownerProfit, active, bloggersSync }: CouponResponse): Values => ({
  code,
  discount: String(discount),
  ownerProfit: String(ownerProfit),
  active: active ? 'on' : '',
  bloggersSync: bloggersSync ? 'on' : '',
});

/** An empty field does not become a number, so that the service says what it accepts. */
const couponBody = ({ code = '', discount, ownerProfit, active, bloggersSync }: Values) => ({
  code,
  discount: Number(discount || Number.NaN),
  ownerProfit: Number(ownerProfit || Number.NaN),
  active: active === 'on',
  bloggersSync: bloggersSync === 'on',
});

const Fields = ({ initial, owner }: { initial: Values; owner?: ComponentChildren }) => (
  <>
    <div class="pair">
      <Field name="code" label={t.fields.code} initial={initial.code ?? ''} maxLength={64} autoFocus />
      <Field
        name="discount"
        label={t.fields.discount}
        type="number"
        min="0"
        step="any"
        initial={initial.discount ?? ''}
      />
    </div>
    <div class="pair">
      <Field
        name="ownerProfit"
        label={t.fields.ownerProfit}
        type="number"
        min="0"
        step="any"
        initial={initial.ownerProfit ?? ''}
      />
      {owner}
    </div>
    <Field name="active" label={t.fields.active} type="checkbox" isChecked={initial.active === 'on'} />
    <Field
      name="bloggersSync"
      label={t.fields.bloggersSync}
      type="checkbox"
      isChecked={initial.bloggersSync === 'on'}
    />
  </>
);

interface DialogProps {
  reload: () => void;
  onClose: () => void;
}

/** The owner of the newest coupon: ids grow with time. Empty if there is none, or too many to read at once. */
const newestOwner = async ({ client }: Session, signal: AbortSignal): Promise<string> => {
  const { data, pagination } = await client.get('/v1/coupons', { query: { limit: 1000 }, signal });
  return pagination.nextCursor === null ? (data.at(-1)?.couponOwnerUsername ?? '') : '';
};

/**
 * Asks for the owner. Where there is no commission it tells the usual one instead, and keeps the box folded. An open box
 * begins empty, so that nobody is paid by an oversight.
 */
const Owner = ({ usual, isFolded, onOpen }: { usual: string; isFolded: boolean; onOpen: () => void }) => (
  <div>
    {isFolded && (
      <div class="field">
        <p class="help">{t.usualOwner(usual)}</p>
        <button type="button" class="button" onClick={onOpen}>
          {t.otherOwner}
        </button>
      </div>
    )}
    <div hidden={isFolded}>
      <Field
        key={isFolded}
        type="person"
        name="ownerIdentifier"
        label={t.fields.owner}
        help={t.ownerHelp}
        initial={isFolded ? usual : ''}
      />
    </div>
  </div>
);

const CreateForm = ({ usual, reload, onClose }: DialogProps & { usual: string }) => {
  const { client } = useSession();
  const say = useSay();
  const [hasCommission, setCommission] = useState(false);
  const [isOpen, setOpen] = useState(usual === '');
  return (
    <Form
      submit={t.submit}
      onCancel={onClose}
      onValues={({ ownerProfit }) => setCommission(Number(ownerProfit) !== 0)}
      onSend={async ({ ownerIdentifier = '', ...values }) => {
        const made = await client.post('/v1/coupons', { body: { ...couponBody(values), ownerIdentifier } });
        onClose();
        reload();
        say(t.created(made.code));
      }}
    >
      <Fields
        initial={{ ownerProfit: '0', active: 'on' }}
        owner={<Owner usual={usual} isFolded={!hasCommission && !isOpen} onOpen={() => setOpen(true)} />}
      />
    </Form>
  );
};

const Create = (props: DialogProps) => {
  const session = useSession();
  const owner = useLoad((signal) => newestOwner(session, signal), []);
  return (
    <Dialog title={t.create} onClose={props.onClose}>
      <Show of={owner}>{(usual) => <CreateForm {...props} usual={usual} />}</Show>
    </Dialog>
  );
};

type CouponProps = DialogProps & { coupon: CouponResponse };

const describeField = (name: string, value: string): string => {
  if (name === 'code') return value;
  return name === 'discount' || name === 'ownerProfit' ? `${value} %` : value === 'on' ? t.yes : t.no;
};

const EditCoupon = ({ coupon: { id, code }, reload, onClose }: CouponProps) => {
  const { client } = useSession();
  const say = useSay();
  const read = (signal?: AbortSignal) => client.get('/v1/coupons/{id}', { path: { id }, ...(signal && { signal }) });
  // The row of a list has no version.
  const loaded = useLoad(read, [id]);
  return (
    <Dialog title={`${t.edit}: ${code}`} onClose={onClose}>
      <Show of={loaded}>
        {(coupon) => (
          <Edit
            initial={couponValues(coupon)}
            labels={t.fields}
            wordsOf={describeField}
            onCancel={onClose}
            onTheirs={() => {
              onClose();
              reload();
            }}
            readAgain={async () => couponValues(await read())}
            save={async (values) => {
              const saved = await client.put('/v1/coupons/{id}', { path: { id }, body: couponBody(values) });
              onClose();
              reload();
              say(t.saved(saved.code));
            }}
          >
            <Fields initial={couponValues(coupon)} />
          </Edit>
        )}
      </Show>
    </Dialog>
  );
};

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

const dialogs = { edit: EditCoupon, limits: LimitCoupon, apply: Apply, revoke: Revoke };

const CouponActions = ({ coupon, reload }: { coupon: CouponResponse; reload: () => void }) => {
  const { can } = useSession();
  const [open, setOpen] = useState<keyof typeof dialogs>();
  const Opened = open && dialogs[open];
  const opens = (name: keyof typeof dialogs, text: string): Action => ({
    text,
    label: t.of(text, coupon.code),
    press: () => setOpen(name),
  });
  return (
    <div class="actions">
      <Actions
        of={coupon.code}
        all={[
          can('coupons:apply') && coupon.active && opens('apply', t.apply.short),
          can('coupons:apply') && opens('revoke', t.revoke.short),
          can('coupons:write') && opens('edit', t.edit),
          can('coupons:write') && opens('limits', t.limits.open),
        ]}
      />
      {Opened && <Opened coupon={coupon} reload={reload} onClose={() => setOpen(undefined)} />}
    </div>
  );
};

const couponColumns = (reload: () => void): Column<CouponResponse>[] => [
  { heading: t.code, cell: ({ code }) => <b>{code}</b>, value: ({ code }) => code },
  { heading: t.discount, cell: ({ discount }) => `${discount} %`, value: ({ discount }) => discount, isNumber: true },
  {
    heading: t.commission,
    cell: ({ ownerProfit }) => (ownerProfit > 0 ? `${ownerProfit} %` : '–'),
    value: ({ ownerProfit }) => ownerProfit,
    isNumber: true,
  },
  {
    heading: t.limits.last,
    inRow: 'label',
    cell: (coupon) => (lastDay(coupon) === '' ? '–' : <span class="whole">{date(coupon.expiration)}</span>),
    value: ({ expiration }) => expiration,
  },
  {
    heading: t.limits.uses,
    cell: ({ usesPerCustomer }) => (usesPerCustomer > 0 ? count(usesPerCustomer) : '–'),
    value: ({ usesPerCustomer }) => usesPerCustomer,
    isNumber: true,
  },
  {
    heading: t.owner,
    cell: ({ couponOwnerUuid, couponOwnerUsername }) => (
      <CustomerLink uuid={couponOwnerUuid} name={couponOwnerUsername} />
    ),
    value: ({ couponOwnerUsername }) => couponOwnerUsername,
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
  },
  {
    heading: t.actions,
    inRow: 'main',
    isTool: true,
    cell: (coupon) => <CouponActions coupon={coupon} reload={reload} />,
  },
];

export const CouponsPage = () => {
  const { client, can } = useSession();
  const { query } = useAddress();
  const [isCreating, setCreating] = useState(false);
  const filters = query.active ? { active: query.active === 'yes' } : {};
  const page = { ...filters, limit: 50, ...(query.cursor && { cursor: query.cursor }) };
  const coupons = useLoad((signal) => client.get('/v1/coupons', { query: page, signal }), [JSON.stringify(page)]);
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
      <List
        of={coupons}
        all={() => client.rows('/v1/coupons', { query: { ...filters, limit: 1000 } })}
        file="coupons"
        caption={t.caption}
        columns={couponColumns(coupons.reload)}
        keyOf={({ id }) => id}
        empty={query.active ? t.noneFits : t.none}
      />
    </>
  );
};
