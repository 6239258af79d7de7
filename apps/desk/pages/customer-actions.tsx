import { type Action, Actions } from '../parts/actions.tsx';
import { laterDialog } from '../parts/later.tsx';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { t } from './customer.texts.ts';
import type { CustomerProps } from './customer-props.ts';

const load = () => import('./customer-dialogs.tsx');

export const GiveCredit = laterDialog(async () => (await load()).GiveCredit);

const dialogs = {
  card: laterDialog(async () => (await load()).GrantCard),
  coupon: laterDialog(async () => (await load()).ApplyCoupon),
  discount: laterDialog(async () => (await load()).Discount),
  page: laterDialog(async () => (await import('./customer-own-page.tsx')).OwnPage),
  ban: laterDialog(async () => (await load()).Ban),
};

interface ActionsProps extends CustomerProps {
  identifier: string;
  onGive: () => void;
}

/** The actions on a customer, as far as the key allows them. Giving credit is first. */
export const CustomerActions = ({ onGive, ...props }: ActionsProps) => {
  const { client, can } = useSession();
  const say = useSay();
  const { customer, reload } = props;
  const opens = (name: keyof typeof dialogs): Action => {
    const Opened = dialogs[name];
    return { text: t.actions[name], opens: (close) => <Opened {...props} onClose={close} /> };
  };
  const lift = async () => {
    await client.post('/v1/customers/{identifier}/actions/unban', { path: { identifier: customer.uuid } });
    reload();
    say(t.lifted(customer.username));
  };
  return (
    <Actions
      all={[
        can('credits:write') && { text: t.actions.give, press: onGive, isMain: true },
        can('giftcards:write') && opens('card'),
        can('coupons:apply') && opens('coupon'),
        can('customers:write') && opens('discount'),
        can('pages:open') && opens('page'),
        can('customers:write') && (customer.isBanned ? { text: t.actions.lift, press: lift } : opens('ban')),
      ]}
    />
  );
};
