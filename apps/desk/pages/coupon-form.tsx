import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { CouponResponse } from '../../client/client.ts';
import { explainError } from '../api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Edit } from '../parts/edit.tsx';
import { Fold } from '../parts/fold.tsx';
import { Field, Form, type Values } from '../parts/form.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { t } from './coupon.texts.ts';
import { LimitFields, limitsBody } from './coupon-limits.tsx';

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

/** `limits` and `owner` are asked for with a new coupon alone: the row of one has a form for its limits. */
const Fields = ({
  initial,
  values,
  limits,
  owner,
}: {
  initial: Values;
  /** The values as they are entered. */
  values: Values;
  limits?: ComponentChildren;
  owner?: ComponentChildren;
}) => {
  const of = (name: 'code' | 'discount' | 'ownerProfit') => ({
    name,
    label: t.fields[name],
    initial: initial[name] ?? '',
  });
  const percent = { type: 'number', min: '0', step: 'any', unit: '%' } as const;
  return (
    <>
      <div class="pair">
        <Field {...of('code')} maxLength={64} autoFocus />
        <Field {...of('discount')} {...percent} />
      </div>
      <Field name="active" label={t.fields.active} type="checkbox" isChecked={initial.active === 'on'} />
      {limits && (
        <Fold title={t.limits.open} said={t.limits.said(values.expiration, values.usesPerCustomer)}>
          <div class="pair">{limits}</div>
        </Fold>
      )}
      <Fold
        title={t.commission}
        said={t.commissionOf(values.ownerProfit ?? '', values.ownerIdentifier)}
        isOpen={owner !== undefined && values.ownerIdentifier === ''}
      >
        <div class="pair">
          <Field {...of('ownerProfit')} {...percent} />
          {owner}
        </div>
        <Field
          name="bloggersSync"
          label={t.fields.bloggersSync}
          type="checkbox"
          isChecked={initial.bloggersSync === 'on'}
        />
      </Fold>
    </>
  );
};

interface DialogProps {
  reload: () => void;
  onClose: () => void;
}

/** The owner of the newest coupon: ids grow with time. Empty if there is none, or too many to read at once. */
const newestOwner = async ({ client }: Session, signal: AbortSignal): Promise<string> => {
  const { data, pagination } = await client.get('/v1/coupons', { query: { limit: 1000 }, signal });
  return pagination.nextCursor === null ? (data.at(-1)?.couponOwnerUsername ?? '') : '';
};

const CreateForm = ({ usual, reload, onClose }: DialogProps & { usual: string }) => {
  const { client } = useSession();
  const say = useSay();
  const initial: Values = { ownerProfit: '0', active: 'on', ownerIdentifier: usual };
  const [values, setValues] = useState(initial);
  const { ownerIdentifier: owner = '' } = values;
  const hasCommission = Number(values.ownerProfit) !== 0;
  const limit = async (id: string, sent: Values): Promise<string | undefined> => {
    if (!sent.expiration && !sent.usesPerCustomer) return undefined;
    try {
      await client.put('/v1/coupons/{id}/limits', { path: { id }, body: limitsBody(sent) });
      return undefined;
    } catch (error) {
      return (await explainError(error, texts.noAnswer.read)).text;
    }
  };
  return (
    <Form
      submit={t.submit}
      onCancel={onClose}
      onValues={setValues}
      onSend={async (sent) => {
        const body = { ...couponBody(sent), ownerIdentifier: sent.ownerIdentifier ?? '' };
        const { id, code } = await client.post('/v1/coupons', { body });
        const why = await limit(id, sent);
        onClose();
        reload();
        say(why === undefined ? t.created(code) : t.createdWithout(code, why));
      }}
    >
      <Fields
        initial={initial}
        values={values}
        limits={<LimitFields initial={{}} />}
        owner={
          // With a commission it begins empty, so that nobody is paid by an oversight.
          <Field
            key={hasCommission}
            type="person"
            name="ownerIdentifier"
            label={t.fields.owner}
            help={hasCommission ? t.ownerHelp : t.ownerUnpaid}
            initial={hasCommission && owner === usual ? '' : owner}
          />
        }
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
  const [values, setValues] = useState<Values>({});
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
            onValues={setValues}
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
            <Fields initial={couponValues(coupon)} values={values} />
          </Edit>
        )}
      </Show>
    </Dialog>
  );
};
