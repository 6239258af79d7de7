// @ts-check
import { call, refresher } from './data.js';
import { byId, code, copyable, dateTimeOf, element, facts, foldable, replaceChildren, timeOf } from './dom.js';

/**
 * @typedef {{ id: string, type: string, at: string, sample: boolean, who?: string, what?: string, data: object }} StoreEvent
 */

const list = byId('events-list', HTMLElement);
const empty = byId('events-empty', HTMLElement);

/** @param {StoreEvent} event */
const row = ({ id, type, at, sample, who, what, data }) =>
  foldable(
    id,
    [
      element('code.path', { title: type }, type),
      element(
        'span.what',
        sample && element('span.pill.info', 'sample'),
        sample && ' ',
        what && element('b', what),
        what && who && ' · ',
        who,
      ),
      element('time.faint', { datetime: at, title: at }, timeOf(at)),
    ],
    element(
      'div.opened',
      facts(['Changed', dateTimeOf(at)], ['Event', copyable('the event’s id', id)]),
      code('Data', JSON.stringify(data, null, 2)),
    ),
  );

/** A look costs a query for each type of event, so many changes in a moment share one. */
const pauseMillis = 500;

export const refreshEvents = refresher(async () => {
  const { events } = await call('store-events');
  replaceChildren(list, ...events.map(row));
  empty.hidden = events.length > 0;
}, pauseMillis);

// `store trigger` writes its samples in a process of its own, of which the service does not tell.
setInterval(() => document.hidden || refreshEvents(), 5000);
