// @ts-check
import { setClock } from './clock.js';
import { refreshCredit } from './credit.js';
import { call, follow, refresher } from './data.js';
import { refreshDeliveries } from './deliveries.js';
import { byId, copyable, facts } from './dom.js';
import { refreshEvents } from './events.js';
import { addRequests, setExample, setRequests } from './requests.js';

const connection = byId('connection', HTMLElement);

/** @param {string} state @param {string} text */
const setConnection = (state, text) => {
  connection.dataset.state = state;
  connection.textContent = text;
};

/** Shows how to call the service. A restart may bring other keys. */
const showService = refresher(async () => {
  const { key, store, engine } = await call('service');
  const base = location.origin;
  byId('store', HTMLElement).textContent = `${store.name}, on ${engine}`;
  byId('call-facts', HTMLElement).replaceChildren(
    facts(['Base URL', copyable('the base URL', base)], ['X-API-Key', copyable('the key', key)]),
  );
  setExample(`curl -H 'X-API-Key: ${key}' \\\n  '${base}/v1/customers/vera.vendor/credit'`);
});

/** Reads again what the requests may have changed. @param {import('./requests.js').ServedRequest[]} requests */
const refreshAfter = (requests) => {
  const writes = requests.filter(({ method, status }) => method !== 'GET' && status < 400);
  if (writes.some(({ url }) => url.includes('/customers/'))) refreshCredit();
  if (writes.some(({ url }) => url.includes('/products') || url.includes('/dispenser'))) refreshDeliveries();
};

follow(
  {
    hello: ({ clock, requests }) => {
      setConnection('live', 'Live');
      setClock(clock);
      setRequests(requests);
      showService();
      refreshCredit();
      refreshDeliveries();
      refreshEvents();
    },
    requests: ({ requests, skipped }) => {
      addRequests(requests, skipped);
      refreshAfter(requests);
    },
    clock: (clock) => {
      setClock(clock);
      refreshCredit();
      refreshDeliveries();
      refreshEvents();
    },
    credit: refreshCredit,
    deliveries: refreshDeliveries,
    events: refreshEvents,
  },
  (connected) => {
    if (!connected) setConnection('lost', 'The service does not answer. Trying again');
  },
);
