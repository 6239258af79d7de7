/**
 * The Arazzo 1.0 document: the ways through the API that most programs take, as steps that tools can run. A step names
 * an operation of the OpenAPI document beside it. All that is not done by HTTP, such as issuing a key, is an input.
 */

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** A step's request, by the names of the operation, and the answer that it expects. */
interface StepParts {
  path?: Record<string, string>;
  query?: Record<string, Json>;
  /** In the place of the workflow's `$inputs.key`. */
  key?: string;
  body?: Json;
  /** 200 by default. */
  status?: number;
  /** Values of the answer, by JSON pointer. */
  expect?: Record<string, Json>;
  /** Values for later steps, by name: JSON pointers into the answer. */
  keep?: Record<string, string>;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  value: Json;
}

interface Step {
  stepId: string;
  operationId: string;
  parameters: Parameter[];
  requestBody?: { contentType: 'application/json'; payload: Json };
  successCriteria: { condition: string }[];
  outputs?: Record<string, string>;
}

export interface Workflow {
  workflowId: string;
  summary: string;
  description: string;
  inputs: { type: 'object'; properties: Record<string, { type: 'string'; description: string }>; required: string[] };
  steps: Step[];
}

const literal = (value: Json): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));
const isExpression = (value: Json): boolean => typeof value === 'string' && value.startsWith('$');

const parametersIn = (place: Parameter['in'], values: Record<string, Json> = {}): Parameter[] =>
  Object.entries(values).map(([name, value]) => ({ name, in: place, value }));

const step = (stepId: string, operationId: string, parts: StepParts = {}): Step => ({
  stepId,
  operationId,
  parameters: [
    { name: 'X-API-Key', in: 'header', value: parts.key ?? '$inputs.key' },
    ...parametersIn('path', parts.path),
    ...parametersIn('query', parts.query),
  ],
  ...(parts.body !== undefined && { requestBody: { contentType: 'application/json', payload: parts.body } }),
  successCriteria: [
    { condition: `$statusCode == ${parts.status ?? 200}` },
    ...Object.entries(parts.expect ?? {}).map(([pointer, value]) => ({
      condition: `$response.body#${pointer} == ${isExpression(value) ? value : literal(value)}`,
    })),
  ],
  ...(parts.keep && {
    outputs: Object.fromEntries(Object.entries(parts.keep).map(([name, at]) => [name, `$response.body#${at}`])),
  }),
});

const inputTexts = {
  key: 'A live API key with the scopes of the steps: `store key issue`.',
  oldKey: 'The key that was replaced and then revoked: `store key revoke`.',
  newKey: 'The key that replaces it: `store key issue`.',
  buyer: 'The username or UUID of the resident.',
  owner: 'The username or UUID of the resident who gets the commission.',
  uuid: 'The UUID of an avatar that the other system knew.',
  username: 'The name of that avatar.',
  saleId: 'A new UUID for the sale. A repeat with the same one makes no second sale.',
  productId: 'The UUID of a product that the buyer owns.',
  code: 'A code that no coupon of the store has.',
  url: 'The https address that takes the events.',
};

/** For workflows that expect the full price, or that of their own coupon. */
const atFullPrice = {
  ...inputTexts,
  buyer:
    'The username or UUID of a resident without discount, coupons and credit: locally one of `residents` in service.json.',
};

const workflow = (
  workflowId: string,
  [summary, description]: [string, string],
  inputs: (keyof typeof inputTexts)[],
  steps: Step[],
  texts: Readonly<Record<keyof typeof inputTexts, string>> = inputTexts,
): Workflow => ({
  workflowId,
  summary,
  description,
  inputs: {
    type: 'object',
    properties: Object.fromEntries(inputs.map((name) => [name, { type: 'string', description: texts[name] }])),
    required: inputs,
  },
  steps,
});

const buyer = { identifier: '$inputs.buyer' };
const makeProduct = step('makeProduct', 'createProduct', {
  body: { name: 'Reading chair', price: 450 },
  status: 201,
  keep: { productId: '/id' },
});
const productId = '$steps.makeProduct.outputs.productId';
const sell = step('sell', 'createSale', {
  body: { id: '$inputs.saleId', productId, buyerIdentifier: '$inputs.buyer', paid: 450 },
  status: 201,
  expect: { '/state': 'completed', '/change': 0 },
});

const workflows: Workflow[] = [
  workflow(
    'firstSale',
    ['From the first key to the first sale', 'Reads the store, makes a product, quotes its price and sells it.'],
    ['key', 'buyer', 'saleId'],
    [
      step('readStore', 'getStore', { expect: { '/open': true } }),
      makeProduct,
      step('quote', 'createQuote', {
        body: { productId, buyerIdentifier: '$inputs.buyer' },
        expect: { '/refusal': null },
        keep: { quote: '/quote', toPay: '/toPay' },
      }),
      step('sell', 'createSale', {
        body: {
          id: '$inputs.saleId',
          productId,
          buyerIdentifier: '$inputs.buyer',
          paid: '$steps.quote.outputs.toPay',
          quote: '$steps.quote.outputs.quote',
        },
        status: 201,
        expect: { '/state': 'completed', '/change': 0 },
      }),
      step('read', 'getSale', { path: { id: '$inputs.saleId' }, expect: { '/total': 450 } }),
    ],
    atFullPrice,
  ),
  workflow(
    'refund',
    ['Refund a sale', 'Takes a sale back. A repeat changes nothing.'],
    ['key', 'buyer', 'saleId'],
    [
      makeProduct,
      sell,
      step('refund', 'refundSale', {
        path: { id: '$inputs.saleId' },
        body: { reason: 'Bought twice' },
        expect: { '/state': 'refunded', '/refund': 450 },
      }),
      step('refundAgain', 'refundSale', { path: { id: '$inputs.saleId' }, expect: { '/refund': 450 } }),
    ],
    atFullPrice,
  ),
  workflow(
    'redeem',
    ['Grant and redeem a gift card', 'Gives a card, turns it into credit, and sees that it is used up.'],
    ['key', 'buyer'],
    [
      step('grant', 'grantGiftCard', {
        path: buyer,
        body: { credit: 500, texture: '00000006-dede-4ede-8ede-000000000001', transfer: true },
        keep: { cardId: '/id' },
      }),
      step('redeem', 'redeemGiftCard', {
        path: { id: '$steps.grant.outputs.cardId' },
        body: { identifier: '$inputs.buyer' },
        expect: { '/giftCard/redeemed': true },
        keep: { credit: '/credit/credit' },
      }),
      step('readCredit', 'getCredit', { path: buyer, expect: { '/credit': '$steps.redeem.outputs.credit' } }),
      step('readCard', 'getGiftCard', { path: { id: '$steps.grant.outputs.cardId' }, expect: { '/credit': 0 } }),
    ],
  ),
  workflow(
    'redeliver',
    [
      'Deliver a product again',
      'Finds what a buyer owns, and sends it once more, at the earliest a minute after the last order of it.',
    ],
    ['key', 'buyer', 'productId'],
    [
      step('listOwned', 'listOwnedProducts', { path: buyer, query: { limit: 100 } }),
      step('redeliver', 'redeliverProduct', {
        path: { ...buyer, productId: '$inputs.productId' },
        body: { message: 'Here it is again.' },
        expect: { '/queued': true, '/productId': '$inputs.productId' },
      }),
    ],
  ),
  workflow(
    'moveOver',
    ['Move a customer over', 'Takes an avatar over from another system, with a name, a balance and a gift card.'],
    ['key', 'uuid', 'username'],
    [
      step('nameAvatar', 'putResident', { path: { uuid: '$inputs.uuid' }, body: { username: '$inputs.username' } }),
      step('setCredit', 'setCredit', {
        path: { identifier: '$inputs.uuid' },
        body: { credit: 750, reason: 'Balance in the old system' },
        expect: { '/credit': 750 },
      }),
      step('grant', 'grantGiftCard', {
        path: { identifier: '$inputs.uuid' },
        body: { credit: 100, texture: '00000006-dede-4ede-8ede-000000000001', transfer: false },
      }),
      step('read', 'getCustomer', {
        path: { identifier: '$inputs.uuid' },
        expect: { '/uuid': '$inputs.uuid', '/credit': 750 },
      }),
    ],
  ),
  workflow(
    'rotateKey',
    [
      'Replace an API key',
      'Sees that the new key works and the old one does not. The operator issues the one and revokes the other with the ' +
        'command `store`; a revoked key may work for one more minute.',
    ],
    ['oldKey', 'newKey'],
    [
      step('newWorks', 'getStore', { key: '$inputs.newKey' }),
      step('oldIsRefused', 'getStore', { key: '$inputs.oldKey', status: 401 }),
    ],
  ),
  workflow(
    'rotateWebhookSecret',
    [
      'Make a webhook and replace its secret',
      'Both secrets sign for 24 hours. The test event shows that the receiver knows one.',
    ],
    ['key', 'url'],
    [
      step('make', 'createWebhook', {
        body: { url: '$inputs.url', events: ['sale.completed', 'delivery.failed'] },
        status: 201,
        keep: { id: '/id' },
      }),
      step('replace', 'rotateWebhookSecret', { path: { id: '$steps.make.outputs.id' }, keep: { secret: '/secret' } }),
      step('test', 'testWebhook', { path: { id: '$steps.make.outputs.id' }, status: 202 }),
      step('delete', 'deleteWebhook', { path: { id: '$steps.make.outputs.id' }, status: 204 }),
    ],
  ),
  workflow(
    'coupon',
    ['Give a discount by a coupon', 'Makes a coupon, applies it for a buyer, sees the lower price, and revokes it.'],
    ['key', 'buyer', 'owner', 'code'],
    [
      makeProduct,
      step('makeCoupon', 'createCoupon', {
        body: { code: '$inputs.code', ownerIdentifier: '$inputs.owner', discount: 20, ownerProfit: 5 },
        status: 201,
        keep: { couponId: '/id' },
      }),
      step('apply', 'applyCoupon', {
        path: buyer,
        body: { code: '$inputs.code', scope: 1, productId },
        expect: { '/couponId': '$steps.makeCoupon.outputs.couponId' },
      }),
      step('quote', 'createQuote', {
        body: { productId, buyerIdentifier: '$inputs.buyer' },
        expect: { '/total': 360, '/discount/source': 'coupon' },
      }),
      step('revoke', 'revokeCoupon', {
        path: buyer,
        body: { couponId: '$steps.makeCoupon.outputs.couponId', scope: 1, productId },
        expect: { '/revoked': true },
      }),
    ],
    atFullPrice,
  ),
  workflow(
    'expiringCredit',
    [
      'Give credit that expires',
      'Replaces a balance, adds a lot, and takes from it: what expires first is taken first.',
    ],
    ['key', 'buyer'],
    [
      step('set', 'setCredit', { path: buyer, body: { credit: 100 }, expect: { '/credit': 100 } }),
      step('add', 'incrementCredit', {
        path: buyer,
        body: { delta: 50, expiresAt: '2099-01-01T00:00:00Z' },
        expect: { '/credit': 150 },
      }),
      step('take', 'incrementCredit', { path: buyer, body: { delta: -30 }, expect: { '/credit': 120 } }),
      step('listLots', 'listCreditLots', {
        path: buyer,
        query: { type: 'regular', state: 'open' },
        expect: { '/data/0/remaining': 20 },
      }),
    ],
  ),
  workflow(
    'closeStore',
    ['Close the store and open it again', 'While it is closed, a quote is refused in an answer that scripts can read.'],
    ['key', 'buyer'],
    [
      makeProduct,
      step('close', 'closeStore', { body: { reason: 'New prices' }, expect: { '/open': false } }),
      step('quote', 'createQuote', {
        body: { productId, buyerIdentifier: '$inputs.buyer' },
        expect: { '/refusal': 'closed' },
      }),
      step('open', 'openStore', { expect: { '/open': true } }),
    ],
  ),
];

/** The Arazzo document, whose OpenAPI document lies beside it. */
export const arazzoDocument = ({ version }: { version: string }) => ({
  arazzo: '1.0.1',
  info: {
    title: 'Workflows of the Store Integration Service',
    version,
    summary: 'Ten ways through the API, from the first sale to a replaced key.',
  },
  sourceDescriptions: [{ name: 'store', url: './openapi.json', type: 'openapi' }],
  workflows,
});
