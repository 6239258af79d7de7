import '../parts/first-view.ts';
import { useState } from 'preact/hooks';
import { type Client, incrementPath } from '../api.ts';
import { ago, dayIn, endOfDay } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Edit } from '../parts/edit.tsx';
import { Field, Form, type Values } from '../parts/form.tsx';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { t } from './customer-dialogs.texts.ts';
import type { Balances, DialogProps } from './customer-props.ts';

/** The change that the form's values ask for; not a number while the amount is not one. */
const deltaOf = ({ way, delta }: Values): number => {
  const amount = /^\d+$/.test(delta ?? '') ? Number(delta) : Number.NaN;
  return way === 'take' ? -amount : amount;
};

const isAmount = (delta: number): boolean => delta !== 0 && !Number.isNaN(delta);

/** The customer's credit after the change in the form. */
const effectOf = ({ credit, restrictedCredit }: DialogProps['customer'], values: Values): string => {
  const before = values.type === 'restricted' ? restrictedCredit : credit;
  const delta = deltaOf(values);
  if (!isAmount(delta)) return t.give.whole;
  return before + delta < 0 ? t.give.tooMuch(before) : t.give.effect(before, before + delta);
};

/** Undoes the change whose answer had these headers. */
const undoChange = (client: Client, path: { identifier: string }, headers: Headers) =>
  client.post('/v1/customers/{identifier}/actions/undo-credit-change', {
    path,
    body: { sequence: Number(headers.get('Credit-Sequence')), reason: t.give.undoReason },
  });

/** Gives or takes credit. The effect is shown first. Undo takes back what is left of only this change. */
export const GiveCredit = ({ customer, reload, onClose }: DialogProps) => {
  const { client } = useSession();
  const say = useSay();
  const [values, setValues] = useState<Values>({});
  const path = { identifier: customer.uuid };
  const delta = deltaOf(values);
  const isTaking = values.way === 'take';

  const send = async (sent: Values): Promise<void> => {
    const amount = deltaOf(sent);
    const balanceOf = ({ credit, restrictedCredit }: Balances): number =>
      sent.type === 'restricted' ? restrictedCredit : credit;
    const expiresAt = isTaking ? undefined : endOfDay(sent.expiresAt);
    const body = {
      // The service says what is wrong with an amount.
      delta: Number.isNaN(amount) ? (sent.delta as unknown as number) : amount,
      ...(expiresAt && { expiresAt }),
      ...(sent.reason && { reason: sent.reason }),
    };
    const { data: given, headers } = await client.post(incrementPath(sent.type), { path, body }).withResponse();
    onClose();
    reload(given);
    say(t.give.given(amount, customer.username, balanceOf(given)), async () => {
      const { left, credit } = await undoChange(client, path, headers);
      reload(credit);
      const result = t.give.undone(amount, left, expiresAt !== undefined);
      say(`${result} ${t.give.has(customer.username, balanceOf(credit))}`);
    });
  };

  return (
    <Dialog title={t.give.title(customer.username)} onClose={onClose}>
      <Form
        submit={isAmount(delta) ? t.give.submit(delta) : t.give.submitEmpty}
        onSend={send}
        onValues={setValues}
        onCancel={onClose}
      >
        <div class="pair">
          <Field
            name="way"
            label={t.give.way}
            options={[
              ['add', t.give.add],
              ['take', t.give.take],
            ]}
          />
          <Field name="delta" label={t.give.amount} type="number" min="1" autoFocus />
        </div>
        <Field
          name="type"
          label={t.give.type}
          options={[
            ['regular', t.give.regular],
            ['restricted', t.give.restricted],
          ]}
        />
        {!isTaking && (
          <Field name="expiresAt" label={t.give.expires} help={t.give.expiresHelp} type="date" min={dayIn(0)} />
        )}
        <Field name="reason" label={t.give.reason} help={t.give.reasonHelp} maxLength={200} />
        <p class="effect" aria-live="polite">
          {effectOf(customer, values)}
        </p>
      </Form>
    </Dialog>
  );
};

export const GrantCard = ({ customer, reload, onClose }: DialogProps) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={t.card.title(customer.username)} onClose={onClose}>
      <Form
        submit={t.card.submit}
        onCancel={onClose}
        onSend={async ({ credit, transfer, reason }) => {
          const card = await client.post('/v1/customers/{identifier}/actions/grant-gift-card', {
            path: { identifier: customer.uuid },
            body: { credit: Number(credit || Number.NaN), transfer: transfer === 'on', ...(reason && { reason }) },
          });
          onClose();
          reload();
          say(t.card.done(card.credit, customer.username));
        }}
      >
        <Field name="credit" label={t.card.amount} type="number" min="1" autoFocus />
        <Field name="transfer" label={t.card.transfer} help={t.card.transferHelp} type="checkbox" />
        <Field name="reason" label={t.card.reason} maxLength={200} />
      </Form>
    </Dialog>
  );
};

export const ApplyCoupon = ({ customer, reload, onClose }: DialogProps) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={t.coupon.title(customer.username)} onClose={onClose}>
      <Form
        submit={t.coupon.submit}
        onCancel={onClose}
        onSend={async ({ code = '', productId, expiresInHours }) => {
          const applied = await client.post('/v1/customers/{identifier}/actions/apply-coupon', {
            path: { identifier: customer.uuid },
            body: {
              code,
              ...(productId ? { scope: 1, productId } : { scope: 0 }),
              ...(expiresInHours && { expiresInHours: Number(expiresInHours) }),
            },
          });
          onClose();
          reload();
          say(t.coupon.done(applied.code, ago(applied.expiresAt)));
        }}
      >
        <Field name="code" label={t.coupon.code} maxLength={64} autoFocus />
        <Field name="expiresInHours" label={t.coupon.hours} type="number" min="1" initial="24" />
        <Field type="product" name="productId" label={t.coupon.product} help={t.coupon.productHelp} />
      </Form>
    </Dialog>
  );
};

export const Ban = ({ customer, reload, onClose }: DialogProps) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={t.ban.title(customer.username)} onClose={onClose}>
      <Form
        submit={t.ban.submit}
        isDangerous
        onCancel={onClose}
        onSend={async ({ reason }) => {
          await client.post('/v1/customers/{identifier}/actions/ban', {
            path: { identifier: customer.uuid },
            body: { ...(reason && { reason }) },
          });
          onClose();
          reload();
          say(t.ban.done(customer.username));
        }}
      >
        <p>{t.ban.text}</p>
        <Field name="reason" label={t.ban.reason} maxLength={1000} autoFocus />
      </Form>
    </Dialog>
  );
};

export const Discount = ({ customer, identifier, reload, onClose }: DialogProps) => {
  const { client } = useSession();
  const say = useSay();
  // The address that was read, so that the change carries its version.
  const path = { identifier };
  const initial = { discount: String(customer.discount) };
  return (
    <Dialog title={t.discount.title(customer.username)} onClose={onClose}>
      <Edit
        initial={initial}
        labels={{ discount: t.discount.percent }}
        wordsOf={(_, value) => `${value} %`}
        onCancel={onClose}
        onTheirs={() => {
          onClose();
          reload();
        }}
        readAgain={async () => ({
          discount: String((await client.get('/v1/customers/{identifier}', { path })).discount),
        })}
        save={async ({ discount }) => {
          const changed = await client.put('/v1/customers/{identifier}', {
            path,
            body: { discount: Number(discount || Number.NaN) },
          });
          onClose();
          reload();
          say(t.discount.done(customer.username, changed.discount));
        }}
      >
        <Field name="discount" label={t.discount.percent} type="number" min="0" autoFocus initial={initial.discount} />
      </Edit>
    </Dialog>
  );
};
