// @ts-check
import { call, refresher } from './data.js';
import { showBehaviour } from './dispenser.js';
import {
  byId,
  code,
  command,
  copyable,
  count,
  dateTimeOf,
  element,
  facts,
  foldable,
  plural,
  readable,
  replaceChildren,
  tell,
  timeOf,
} from './dom.js';

/**
 * @typedef {{ id: string, state: string, productId: string, item: string, recipientUsername: string, message: string,
 *   createdAt: string, deliveredAt?: string, expiresAt: string, attempts: number, lastError?: string, givenAt?: string }} Delivery
 * @typedef {{ messageId: string, sentAt: string, body: string, readable: boolean }} DeadLetter
 */

const list = byId('deliveries-list', HTMLElement);
const empty = byId('deliveries-empty', HTMLElement);
const counts = byId('queue-counts', HTMLElement);
const dead = byId('dead', HTMLElement);
const deadList = byId('dead-list', HTMLElement);
const deadCount = byId('dead-count', HTMLElement);
const deadNote = byId('dead-note', HTMLOutputElement);
const redrive = byId('redrive', HTMLButtonElement);

const kinds = /** @type {Record<string, string>} */ ({
  delivered: 'good',
  failed: 'bad',
  waiting: 'warn',
  queued: 'info',
});

/** @param {string} id */
const sendAgainButton = (id) => {
  const button = element('button', { type: 'button' }, 'Send again');
  const fault = element('output');
  button.addEventListener('click', () => tell(fault, () => call('send-again', { id }).then(() => '')));
  return element('p.actions', button, fault);
};

/** @param {Delivery} delivery */
const deliveryRow = (delivery) => {
  const { id, state, message, createdAt, deliveredAt, lastError, givenAt } = delivery;
  const silence = givenAt && 'The avatar has it, but the dispenser did not say so.';
  const trouble = state !== 'delivered' && (silence || lastError);
  return foldable(
    id,
    [
      element(`span.pill.${kinds[state]}`, state),
      element('span.what', element('b', delivery.item), ' to ', element('b', delivery.recipientUsername)),
      element('time.faint', { datetime: createdAt, title: createdAt }, timeOf(createdAt)),
      element('span.faint.number', plural(delivery.attempts, 'attempt')),
      element(
        'span.said',
        trouble ? element('span.trouble', trouble) : message && element('span.faint', `“${message}”`),
      ),
    ],
    element(
      'div.opened',
      facts(
        ['Note', message],
        ['Ordered', dateTimeOf(createdAt)],
        ['Given', givenAt && dateTimeOf(givenAt)],
        ['Confirmed', deliveredAt && dateTimeOf(deliveredAt)],
        ['Last error', lastError],
        ['Tried until', state !== 'delivered' && dateTimeOf(delivery.expiresAt)],
        ['Delivery', copyable('the delivery’s id', id)],
        ['Product', element('code', delivery.productId)],
      ),
      ...(state === 'failed' || state === 'waiting' ? [sendAgainButton(id)] : []),
    ),
  );
};

/** @param {DeadLetter} letter */
const deadRow = ({ messageId, sentAt, body, readable: ours }) =>
  foldable(
    messageId,
    [
      element(`span.pill.${ours ? 'warn' : 'bad'}`, ours ? 'readable' : 'unreadable'),
      element('code.path', body),
      element('time.faint', { datetime: sentAt }, timeOf(sentAt)),
    ],
    element(
      'div.opened',
      code('Message', readable(body)),
      !ours &&
        element('p.muted', 'The service did not write this message. It stays here, since no worker could read it.'),
    ),
  );

/** @type {ReturnType<typeof setTimeout> | undefined} */
let later;

export const refreshDeliveries = refresher(async () => {
  const [{ dispenser, queue, product, deliveries, deadLetters, deadLetterCount }, { key }] = await Promise.all([
    call('deliveries'),
    call('service'),
  ]);
  showBehaviour(dispenser.mode);
  const waiting = deliveries.filter((/** @type {Delivery} */ { state }) => state === 'waiting').length;
  const states = Object.entries({ queued: queue.ready, 'at work': queue.taken, waiting });
  counts.replaceChildren(...states.map(([label, value]) => element('li', element('b', count(value)), ` ${label}`)));
  replaceChildren(list, ...deliveries.map(deliveryRow));
  empty.hidden = deliveries.length > 0;
  if (!empty.hidden) empty.replaceChildren(...example(product, key));
  const none = 'None. Messages that no worker can handle appear here.';
  deadCount.textContent = deadLetterCount === 0 ? none : plural(deadLetterCount, 'message');
  dead.classList.toggle('is-empty', deadLetterCount === 0);
  redrive.hidden = !deadLetters.some((/** @type {DeadLetter} */ { readable: ours }) => ours);
  replaceChildren(deadList, ...deadLetters.map(deadRow));
  clearTimeout(later);
  // No event tells when a message's pause is over.
  if (queue.ready + queue.taken > 0) later = setTimeout(refreshDeliveries, 2000);
});

/** A first delivery to make. @param {{ id: string } | undefined} product @param {string} key */
const example = (product, key) => {
  const reference = element('a', { href: '/docs#/Products' }, 'API reference');
  if (!product) return [element('p', 'No delivery yet, and no product. Create one in the ', reference, '.')];
  const curl = `curl -H 'X-API-Key: ${key}' \\\n  -d '{"recipientIdentifier": "ada", "message": "Enjoy!"}' \\\n  '${location.origin}/v1/products/${product.id}/actions/deliver'`;
  return [
    element('p', 'No delivery yet. Send this from a terminal, and see it arrive:'),
    command('Example of a delivery', curl),
  ];
};

const putBack = async () => `${plural((await call('redrive', {})).redriven, 'message')} put back on the queue.`;
redrive.addEventListener('click', () => tell(deadNote, putBack));
