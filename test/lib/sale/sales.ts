import { randomUUID } from 'node:crypto';
import { createProduct, findProduct } from '../../../lib/catalogue/products.ts';
import { createSale, type Sale, type SaleRequest } from '../../../lib/routes/sales.ts';
import { makeQuote } from '../../../lib/sale/quote.ts';
import { sell } from '../../../lib/sale/sell.ts';
import { productWith } from '../../support/rows.ts';

/** Calls the functions of sales directly, for regular products of one store of the test file's table. */

type Fields = Parameters<typeof productWith>[0];

export const newProduct = async (store: string, fields: Fields = {}): Promise<string> =>
  (await createProduct(store, productWith(fields))).id;

export type Wanted = Partial<Omit<SaleRequest, 'buyerIdentifier' | 'recipientIdentifier'>> &
  Pick<SaleRequest, 'productId'> & { buyer: string; recipient?: string };

const requestOf = ({ buyer, recipient, ...fields }: Wanted) => ({
  ...{ id: randomUUID() as string, paid: 0, useCredit: false, message: '', ...fields },
  ...{
    buyerIdentifier: { uuid: buyer },
    recipientIdentifier: recipient === undefined ? undefined : { uuid: recipient },
  },
});

/** The sale as the endpoint answers it. */
export const buy = async (store: string, wanted: Wanted): Promise<Sale> =>
  createSale.response.parse(await sell(store, requestOf(wanted), { by: 'test' }));

/** The text of a quote. */
export const quoteFor = async (store: string, wanted: Wanted): Promise<string> =>
  (await makeQuote(store, requestOf(wanted))).quote ?? '';

export const stockOf = async (store: string, product: string): Promise<number | undefined> =>
  (await findProduct(store, product))?.availableAmount;
