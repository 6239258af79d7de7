import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { handler as getCredit } from '../../../functions/customers/get-credit.ts';
import { handler as incrementCredit } from '../../../functions/customers/increment-credit.ts';
import { handler as createSale } from '../../../functions/sales/create-sale.ts';
import { newId, now, timestamp } from '../../../lib/clock.ts';
import { tableName } from '../../../lib/table/client.ts';
import { idOf } from '../../../test/support/seeded-store.ts';
import { eventOf, type LambdaHandler } from '../call.ts';
import { makeShop, price } from '../sales.ts';
import { handler as honoWithElectrodb, shop } from './hono-electrodb.ts';

export interface Contestant {
  operation: string;
  contestant: string;
  handler: LambdaHandler;
  /** The event of the request with that number. */
  eventOf: (number: number) => APIGatewayProxyEvent;
}

const customers = 500;
const copies = 1_000_000;

/** The customer of a request: each in turn, so that requests side by side have different ones. */
const buyerOf = (number: number): string => idOf(number % customers);

/** A store for Hono and ElectroDB, with the same customers and product that `makeShop` makes for this service. */
const makeTheirShop = async (store: string): Promise<{ store: string; productId: string }> => {
  const productId = randomUUID();
  shop.setTableName(tableName());
  const { products, customers: buyers, owned } = shop.entities;
  await products
    .put({ store, id: productId, name: 'Chair', price, active: true, limited: true, available: copies })
    .go();
  const uuids = Array.from({ length: customers }, (_, number) => idOf(number));
  await buyers.put(uuids.map((uuid) => ({ store, uuid, username: `resident of ${uuid}`, credit: 10_000 }))).go();
  const at = timestamp(now());
  await owned.put(uuids.map((uuid) => ({ store, uuid, productId: newId(), quantity: 1, boughtAt: at }))).go();
  return { store, productId };
};

/**
 * This service's three endpoints, and the same ones made from Hono and ElectroDB. proof/bench/compared.test.ts checks
 * that they answer alike.
 */
export const prepare = async (): Promise<Contestant[]> => {
  const [ours, theirs] = [await makeShop(customers, copies), await makeTheirShop('bench-whole')];
  const sale = (productId: string, number: number) => {
    // Credit pays every other sale.
    const useCredit = number % 2 === 0;
    const buyerIdentifier = buyerOf(number);
    return { id: randomUUID(), productId, buyerIdentifier, useCredit, paid: useCredit ? 0 : price };
  };
  const path = (number: number): string => `/v1/customers/${buyerOf(number)}`;
  type Asked = [method: string, url: string, body?: object];
  const operations: Record<string, [handler: LambdaHandler, asked: (productId: string, number: number) => Asked]> = {
    'get-credit': [getCredit, (_, number) => ['GET', `${path(number)}/credit`]],
    'increment-credit': [
      incrementCredit,
      (_, number) => ['POST', `${path(number)}/actions/increment-credit`, { delta: 1 }],
    ],
    'create-sale': [createSale, (productId, number) => ['POST', '/v1/sales', sale(productId, number)]],
  };
  return Object.entries(operations).flatMap(([operation, [handler, asked]]) =>
    [
      { contestant: 'ours', handler, ...ours },
      { contestant: 'Hono and ElectroDB', handler: honoWithElectrodb, ...theirs },
    ].map(({ contestant, handler, store, productId }) => ({
      ...{ operation, contestant, handler },
      eventOf: (number: number) => eventOf(store, ...asked(productId, number)).event,
    })),
  );
};
