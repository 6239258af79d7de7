import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { CouponResponse } from '../../client/client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Edit } from '../parts/edit.tsx';
import { Field, Form, type Values } from '../parts/form.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { type Session, useSession } from '../session.ts';
import { t } from './coupon.texts.ts';

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

export const Create = (props: DialogProps) => {
  const session = useSession();
  const owner = useLoad((signal) => newestOwner(session, signal), []);
  return (
    <Dialog title={t.create} onClose={props.onClose}>
      <Show of={owner}>{(usual) => <CreateForm {...props} usual={usual} />}</Show>
    </Dialog>
  );
};

export type CouponProps = DialogProps & { coupon: CouponResponse };

const describeField = (name: string, value: string): string => {
  if (name === 'code') return value;
  return name === 'discount' || name === 'ownerProfit' ? `${value} %` : value === 'on' ? t.yes : t.no;
};

export const EditCoupon = ({ coupon: { id, code }, reload, onClose }: CouponProps) => {
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
