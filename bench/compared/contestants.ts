import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { handler as ourGet } from '../../functions/categories/get-category.ts';
import { handler as ourIncrement } from '../../functions/customers/increment-credit.ts';
import { createCategory } from '../../lib/store/categories.ts';
import { customerUpsert } from '../../lib/store/customers.ts';
import { write } from '../../lib/table/table.ts';
import { eventOf, type LambdaHandler } from '../support.ts';
import * as electrodb from './electrodb.ts';
import { handler as hono } from './hono.ts';

export interface Contestant {
  operation: string;
  contestant: string;
  handler: LambdaHandler;
  event: APIGatewayProxyEvent;
}

/** The contestants, each with its category and customer in the table. test/compared.test.ts checks that they answer alike. */
export const prepare = async (): Promise<Contestant[]> => {
  const [store, storeOfElectrodb] = ['bench', 'bench-electrodb'];
  const uuid = randomUUID();
  await write(customerUpsert(store, { uuid, username: 'hot' }));
  const { id } = await createCategory(store, { name: 'Light' });
  const idOfElectrodb = await electrodb.seed(storeOfElectrodb, uuid);
  const get = eventOf(store, 'GET', `/v1/categories/${id}`).event;
  const getOfElectrodb = eventOf(storeOfElectrodb, 'GET', `/v1/categories/${idOfElectrodb}`).event;
  const [increment, incrementOfElectrodb] = [store, storeOfElectrodb].map(
    (of) => eventOf(of, 'POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 1 }).event,
  ) as [APIGatewayProxyEvent, APIGatewayProxyEvent];
  const [ours, withHono, withElectrodb] = ['ours', 'Hono for lib/http', 'ElectroDB for lib/store'];
  const contestants: [string, string, LambdaHandler, APIGatewayProxyEvent][] = [
    ['get-category', ours, ourGet, get],
    ['get-category', withHono, hono, get],
    ['get-category', withElectrodb, electrodb.getCategory, getOfElectrodb],
    ['increment-credit', ours, ourIncrement, increment],
    ['increment-credit', withHono, hono, increment],
    ['increment-credit', withElectrodb, electrodb.incrementCredit, incrementOfElectrodb],
  ];
  for (const [, contestant, handler, event] of contestants) {
    const { statusCode, body } = await handler(event, {} as Context);
    if (statusCode !== 200) throw new Error(`${contestant} answered ${statusCode}: ${body}`);
  }
  return contestants.map(([operation, contestant, handler, event]) => ({ operation, contestant, handler, event }));
};
