import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { handler as ourGet } from '../../functions/categories/get-category.ts';
import { handler as ourIncrement } from '../../functions/customers/increment-credit.ts';
import { createCategory } from '../../lib/store/categories.ts';
import { touchCustomer } from '../../lib/store/customers.ts';
import { eventOf, type LambdaHandler } from '../support.ts';
import * as electrodb from './electrodb.ts';
import { handler as hono } from './hono.ts';

export interface Contestant {
  operation: string;
  contestant: string;
  handler: LambdaHandler;
  event: APIGatewayProxyEvent;
}

/** The contestants, each with its category and customer in the table; test/compared.test.ts holds them to the same answers. */
export const prepare = async (): Promise<Contestant[]> => {
  const [store, storeOfElectrodb] = ['bench', 'bench-electrodb'];
  const uuid = randomUUID();
  await touchCustomer(store, { uuid, username: 'hot' });
  const { id } = await createCategory(store, { name: 'Light' });
  const idOfElectrodb = await electrodb.seed(storeOfElectrodb, uuid);
  const get = (categoryId: string, of: string): APIGatewayProxyEvent =>
    eventOf({
      method: 'GET',
      route: '/v1/categories/{id}',
      path: `/v1/categories/${categoryId}`,
      params: { id: categoryId },
      store: of,
    });
  const increment = (of: string): APIGatewayProxyEvent =>
    eventOf({
      method: 'POST',
      route: '/v1/customers/{identifier}/actions/increment-credit',
      path: `/v1/customers/${uuid}/actions/increment-credit`,
      params: { identifier: uuid },
      body: { delta: 1 },
      store: of,
    });
  const [ours, withHono, withElectrodb] = ['ours', 'Hono for lib/http', 'ElectroDB for lib/store'];
  const contestants: Contestant[] = [
    { operation: 'get-category', contestant: ours, handler: ourGet, event: get(id, store) },
    { operation: 'get-category', contestant: withHono, handler: hono, event: get(id, store) },
    {
      operation: 'get-category',
      contestant: withElectrodb,
      handler: electrodb.getCategory,
      event: get(idOfElectrodb, storeOfElectrodb),
    },
    { operation: 'increment-credit', contestant: ours, handler: ourIncrement, event: increment(store) },
    { operation: 'increment-credit', contestant: withHono, handler: hono, event: increment(store) },
    {
      operation: 'increment-credit',
      contestant: withElectrodb,
      handler: electrodb.incrementCredit,
      event: increment(storeOfElectrodb),
    },
  ];
  for (const { contestant, handler, event } of contestants) {
    const { statusCode, body } = await handler(event, {} as Context);
    if (statusCode !== 200) throw new Error(`${contestant} answered ${statusCode}: ${body}`);
  }
  return contestants;
};
