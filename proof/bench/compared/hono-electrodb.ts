import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { Entity, Service } from 'electrodb';
import { type Context, Hono } from 'hono';
import { handle, type LambdaContext, type LambdaEvent } from 'hono/aws-lambda';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { validator } from 'hono/validator';
import * as z from 'zod';
import { logSink } from '../../../lib/log.ts';
import { db } from '../../../lib/table/client.ts';
import type { LambdaHandler } from '../call.ts';

/**
 * Three endpoints as one writes them with Hono and ElectroDB alone: a customer's credit, its increment, and a sale in
 * one transaction. Only the DynamoDB client is this service's, so that connections, timeouts and the count of calls are
 * the same.
 */

const text = { type: 'string', required: true } as const;
const number = { type: 'number', required: true, default: 0 } as const;
const flag = { type: 'boolean', required: true, default: false } as const;

const customers = new Entity({
  model: { service: 'shop', entity: 'customer', version: '1' },
  attributes: {
    ...{ store: text, uuid: text, username: text, isBanned: flag, discount: number },
    ...{ credit: number, restrictedCredit: number, spent: number, version: number },
  },
  indexes: { primary: { pk: { field: 'pk', composite: ['store'] }, sk: { field: 'sk', composite: ['uuid'] } } },
});

const products = new Entity({
  model: { service: 'shop', entity: 'product', version: '1' },
  attributes: { store: text, id: text, name: text, price: number, active: flag, limited: flag, available: number },
  indexes: { primary: { pk: { field: 'pk', composite: ['store'] }, sk: { field: 'sk', composite: ['id'] } } },
});

const owned = new Entity({
  model: { service: 'shop', entity: 'owned', version: '1' },
  attributes: { store: text, uuid: text, productId: text, quantity: number, boughtAt: text },
  indexes: {
    primary: { pk: { field: 'pk', composite: ['store', 'uuid'] }, sk: { field: 'sk', composite: ['productId'] } },
  },
});

const sales = new Entity({
  model: { service: 'shop', entity: 'sale', version: '1' },
  attributes: {
    ...{ store: text, id: text, request: text, productId: text, buyerUuid: text, at: text },
    ...{ state: { type: ['completed', 'refused'] as const, required: true }, refusal: { type: 'string' } },
    ...{ base: number, total: number, credit: number, paid: number, refund: number, change: number },
  },
  indexes: {
    primary: { pk: { field: 'pk', composite: ['store'] }, sk: { field: 'sk', composite: ['id'] } },
    byBuyer: {
      index: 'byRank',
      pk: { field: 'ranked', composite: ['store', 'buyerUuid'] },
      sk: { field: 'rank', composite: ['at', 'id'] },
    },
  },
});

export const shop = new Service({ customers, products, owned, sales }, { client: db });

type Env = { Bindings: { event: APIGatewayProxyEvent } };

const storeOf = (c: Context<Env>): string => c.env.event.requestContext.authorizer?.store;

const refuse = (status: ContentfulStatusCode, message: string): HTTPException => new HTTPException(status, { message });

const valid = <T extends z.ZodType>(target: 'json' | 'param', schema: T) =>
  validator(target, (value): z.output<T> => {
    const { success, data, error } = schema.safeParse(value);
    if (success) return data;
    throw refuse(400, error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(' '));
  });

const Customer = z.object({ uuid: z.guid().toLowerCase() });
const creditLimit = 1_000_000_000;
const Increment = z.object({ delta: z.int().min(-creditLimit).max(creditLimit) });
const NewSale = z.object({
  id: z.guid().toLowerCase(),
  productId: z.guid().toLowerCase(),
  buyerIdentifier: z.guid().toLowerCase(),
  paid: z.int().min(0),
  useCredit: z.boolean().default(false),
});

interface Credit {
  uuid?: string;
  username?: string;
  credit?: number;
  restrictedCredit?: number;
}

const creditOf = ({ uuid, username, credit, restrictedCredit }: Credit) => ({
  ...{ uuid, username, credit, restrictedCredit },
});

const app = new Hono<Env>();

app.use(async (c, next) => {
  const started = Date.now();
  await next();
  const { requestId } = c.env.event.requestContext;
  c.header('Cache-Control', 'no-store');
  c.header('X-Request-Id', requestId);
  const { path: route, method } = c.req;
  logSink.write({ level: 'INFO', requestId, method, route, status: c.res.status, milliseconds: Date.now() - started });
});

app.onError((error, c) => {
  const [status, detail] = error instanceof HTTPException ? [error.status, error.message] : [500, 'Unexpected.'];
  const problem = { status, title: 'Error', detail, instance: c.req.path };
  return c.body(JSON.stringify(problem), status as ContentfulStatusCode, {
    'Content-Type': 'application/problem+json',
  });
});

app.get('/v1/customers/:uuid/credit', valid('param', Customer), async (c) => {
  const { data } = await customers
    .get({ store: storeOf(c), ...c.req.valid('param') })
    .go({ consistent: true, attributes: ['uuid', 'username', 'credit', 'restrictedCredit'] });
  if (!data) throw refuse(404, 'There is no such customer.');
  return c.json(creditOf(data));
});

const incrementPath = '/v1/customers/:uuid/actions/increment-credit';
app.post(incrementPath, valid('param', Customer), valid('json', Increment), async (c) => {
  const { delta } = c.req.valid('json');
  try {
    const { data } = await customers
      .patch({ store: storeOf(c), ...c.req.valid('param') })
      .add({ credit: delta, version: 1 })
      .where(({ credit }, { between }) =>
        between(credit, Math.max(0, -delta), Math.min(creditLimit, creditLimit - delta)),
      )
      .go({ response: 'all_new' });
    return c.json(creditOf(data));
  } catch (error) {
    if (!/conditional request failed/.test((error as Error).message)) throw error;
    throw refuse(400, 'The customer is unknown, or the balance would leave its limits.');
  }
});

const maxAttempts = 5;

/** Sells once for the id: reads, decides, and writes on condition that customer and stock are as they were read. */
const sell = async (
  store: string,
  { id, productId, buyerIdentifier: uuid, paid, useCredit }: z.infer<typeof NewSale>,
) => {
  const request = createHash('sha256')
    .update(JSON.stringify([productId, uuid, paid, useCredit]))
    .digest('base64url');
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const consistent = { consistent: true } as const;
    const [{ data: earlier }, { data: product }, { data: customer }] = await Promise.all([
      sales.get({ store, id }).go(consistent),
      products.get({ store, id: productId }).go(consistent),
      customers.get({ store, uuid }).go(consistent),
    ]);
    if (earlier?.request === request) return earlier;
    if (earlier) throw refuse(422, 'This id was used for another sale.');
    if (!customer) throw refuse(404, 'There is no such customer.');

    const base = product?.price ?? 0;
    const total = Math.floor((base * (100 - customer.discount)) / 100 + 0.5);
    const credit = useCredit ? Math.min(customer.credit, total) : 0;
    const toPay = total - credit;
    const refusals = {
      'unknown-product': !product,
      banned: customer.isBanned,
      inactive: !product?.active,
      'sold-out': product?.limited && product.available < 1,
      underpaid: paid < toPay,
    };
    const refusal = Object.entries(refusals).find(([, holds]) => holds)?.[0];
    const refund = refusal ? paid : paid - toPay;
    const at = new Date().toISOString();
    const sale = {
      ...{ store, id, request, productId, buyerUuid: uuid, at, base, total, credit, paid, refund, change: refund },
      ...{ state: refusal ? ('refused' as const) : ('completed' as const), ...(refusal && { refusal }) },
    };
    const { canceled } = await shop.transaction
      .write(({ customers, products, owned, sales }) => [
        sales.create(sale).commit(),
        ...(refusal
          ? []
          : [
              customers
                .patch({ store, uuid })
                .add({ spent: paid - refund, version: 1 })
                .subtract({ credit })
                .where(({ version }, { eq }) => eq(version, customer.version))
                .commit(),
              owned.upsert({ store, uuid, productId }).add({ quantity: 1 }).ifNotExists({ boughtAt: at }).commit(),
            ]),
        ...(refusal || !product?.limited
          ? []
          : [
              products
                .patch({ store, id: productId })
                .subtract({ available: 1 })
                .where(({ available }, { gte }) => gte(available, 1))
                .commit(),
            ]),
      ])
      .go();
    if (!canceled) return sale;
  }
  throw refuse(503, 'The customer or the product is busy. Send the request again.');
};

app.post('/v1/sales', valid('json', NewSale), async (c) => {
  const { store: _, request, refusal = null, ...sale } = await sell(storeOf(c), c.req.valid('json'));
  c.header('Location', `/v1/sales/${sale.id}`);
  return c.json({ ...sale, refusal }, 201);
});

const lambda = handle(app);

export const handler: LambdaHandler = async (event, context) =>
  (await lambda(event as unknown as LambdaEvent, context as unknown as LambdaContext)) as unknown as Awaited<
    ReturnType<LambdaHandler>
  >;
