import type { CouponResponse } from '../../client/client.ts';
import { dayIn, endOfDay, localTime } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Edit } from '../parts/edit.tsx';
import { Field, type Values } from '../parts/form.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { t } from './coupon.texts.ts';

/** The last day of a coupon in the reader's time; empty if it does not expire. */
export const lastDay = ({ expiration }: Pick<CouponResponse, 'expiration'>): string =>
  expiration.startsWith('9999') ? '' : localTime(expiration).slice(0, 10);

const valuesOf = (coupon: CouponResponse): Values => ({
  expiration: lastDay(coupon),
  usesPerCustomer: coupon.usesPerCustomer > 0 ? String(coupon.usesPerCustomer) : '',
});

/** The body of a coupon's limits. A day that was not edited keeps its time. */
export const limitsBody = ({ expiration, usesPerCustomer }: Values, before?: CouponResponse) => {
  const end = before && expiration === lastDay(before) ? before.expiration : endOfDay(expiration);
  return {
    expiration: expiration ? (end ?? null) : null,
    usesPerCustomer: usesPerCustomer ? Number(usesPerCustomer) : 0,
  };
};

export const LimitFields = ({ initial, isFirst = false }: { initial: Values; isFirst?: boolean }) => (
  <>
    <Field
      name="expiration"
      label={t.limits.fields.expiration}
      help={t.limits.expirationHelp}
      type="date"
      min={dayIn(0)}
      initial={initial.expiration ?? ''}
      autoFocus={isFirst}
    />
    <Field
      name="usesPerCustomer"
      label={t.limits.fields.usesPerCustomer}
      help={t.limits.usesHelp}
      type="number"
      min="1"
      initial={initial.usesPerCustomer ?? ''}
    />
  </>
);

interface LimitProps {
  coupon: CouponResponse;
  reload: () => void;
  onClose: () => void;
}

/** Gives a coupon a last day, and a number of uses. */
export const LimitCoupon = ({ coupon: { id, code }, reload, onClose }: LimitProps) => {
  const { client } = useSession();
  const say = useSay();
  const path = { id };
  const read = (signal?: AbortSignal) => client.get('/v1/coupons/{id}', { path, ...(signal && { signal }) });
  // The row of a list has no version.
  const loaded = useLoad(read, [id]);
  const close = () => {
    onClose();
    reload();
  };
  return (
    <Dialog title={`${t.limits.open}: ${code}`} onClose={onClose}>
      <Show of={loaded}>
        {(coupon) => (
          <Edit
            initial={valuesOf(coupon)}
            labels={t.limits.fields}
            onCancel={onClose}
            onTheirs={close}
            readAgain={async () => valuesOf(await read())}
            save={async (values) => {
              await client.put('/v1/coupons/{id}/limits', { path, body: limitsBody(values, coupon) });
              close();
              say(t.limits.saved(code));
            }}
          >
            <LimitFields initial={valuesOf(coupon)} isFirst />
          </Edit>
        )}
      </Show>
    </Dialog>
  );
};
