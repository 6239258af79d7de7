import { endpoint } from '../../lib/http/endpoint.ts';
import { createQuote as row } from '../../lib/routes/sales.ts';
import { makeQuote } from '../../lib/sale/quote.ts';

export const handler = endpoint(row, ({ store, body }) => makeQuote(store, body));
