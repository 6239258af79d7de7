import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { link } from '../address.ts';
import { customerName, imageOf, productName, vendorName } from '../names.ts';
import { type Session, useSession } from '../session.ts';
import { CustomerLink, ProductName } from './list.tsx';

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

/** The same with its picture, for a list. The children stand below the name. */
export const NamedProduct = ({ id, children }: { id: string; children?: ComponentChildren }) => {
  const name = useName(productName, id);
  return <ProductName of={{ id, name, image: imageOf(id) }}>{children}</ProductName>;
};

/** A link to a customer's page, by the name. */
export const NamedCustomer = ({ uuid }: { uuid: string }) => (
  <CustomerLink uuid={uuid} name={useName(customerName, uuid)} />
);

/** A link to a vendor's page, by its name. */
export const VendorLink = ({ uuid }: { uuid: string }) => {
  const { can } = useSession();
  const name = useName(vendorName, uuid);
  return can('vendors:read') ? <a href={link(`/vendors/${uuid}`)}>{name}</a> : <span>{name}</span>;
};
