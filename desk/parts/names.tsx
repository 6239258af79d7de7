import { useEffect, useState } from 'preact/hooks';
import { link } from '../address.ts';
import { type Session, useSession } from '../session.ts';
import { CustomerLink } from './list.tsx';

/** Names of products and customers, which sales do not hold. Each is read once per tab. */

const known = new Map<string, Promise<string>>();

/** The name of a thing. One that cannot be read stays an id. */
const nameOf = (id: string, read: () => Promise<string>): Promise<string> => {
  const name = known.get(id) ?? read().catch(() => id.slice(0, 8));
  known.set(id, name);
  return name;
};

/** For a thing whose name has been changed. */
export const forgetName = (id: string): void => {
  known.delete(id);
};

export const productName = ({ client, can }: Session, id: string): Promise<string> =>
  nameOf(id, async () =>
    can('products:read') ? (await client.get('/v1/products/{id}', { path: { id } })).name : id.slice(0, 8),
  );

const customerName = ({ client, can }: Session, uuid: string): Promise<string> =>
  nameOf(uuid, async () =>
    can('customers:read')
      ? (await client.get('/v1/customers/{identifier}', { path: { identifier: uuid } })).username
      : uuid,
  );

const useName = (read: (session: Session, id: string) => Promise<string>, id: string): string => {
  const session = useSession();
  const [name, setName] = useState('…');
  useEffect(() => {
    let isShown = true;
    read(session, id).then((found) => isShown && setName(found));
    return () => {
      isShown = false;
    };
  }, [id]);
  return name;
};

/** A link to a product's page, by its name. */
export const ProductLink = ({ id }: { id: string }) => {
  const { can } = useSession();
  const name = useName(productName, id);
  return can('products:read') ? <a href={link(`/products/${encodeURIComponent(id)}`)}>{name}</a> : <span>{name}</span>;
};

/** A link to a customer's page, by the name. */
export const NamedCustomer = ({ uuid }: { uuid: string }) => (
  <CustomerLink uuid={uuid} name={useName(customerName, uuid)} />
);
