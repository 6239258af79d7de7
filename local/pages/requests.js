// @ts-check
import { byId, code, command, copyable, count, element, facts, plural, readable, timeOf } from './dom.js';

/**
 * @typedef {{ id: string, time: string, method: string, url: string, status: number, millis: number, calls?: number,
 *   units?: number, sent: string, answer: string }} ServedRequest
 */

const list = byId('requests-list', HTMLElement);
const empty = byId('requests-empty', HTMLElement);
const total = byId('requests-count', HTMLElement);
const onlyProblems = byId('only-problems', HTMLInputElement);

const maxRows = 200;
let seen = 0;

/** @param {number} status */
const kindOf = (status) => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good');

/** @param {ServedRequest} request */
const costOf = ({ calls, units }) =>
  calls === undefined ? '' : ` · ${plural(calls, 'call')}, ${plural(units ?? 0, 'unit')}`;

/** @param {string} text @returns {{ detail?: string, errors?: string[] }} */
const problemOf = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

/** The opened part of a request's row. @param {ServedRequest} request */
const body = ({ id, method, url, status, sent, answer }) => {
  const { detail, errors = [] } = status >= 400 ? problemOf(answer) : {};
  const messages = errors.length > 0 ? errors : detail ? [detail] : [];
  const path = url.split('?')[0] ?? '';
  const query = [...new URLSearchParams(url.slice(path.length))];
  return element(
    'div.opened',
    messages.length > 0 &&
      element(
        `ul.problem.${kindOf(status)}`,
        { 'aria-label': 'What to change' },
        ...messages.map((text) => element('li', text)),
      ),
    facts(
      ['Request', element('code', `${method} ${path}`)],
      ...query.map(([name, value]) => /** @type {[string, Node]} */ ([name, element('code', value)])),
      ['X-Request-Id', copyable('the request’s id', id)],
    ),
    sent !== '' && element('h3', 'Sent'),
    sent !== '' && code('Sent', readable(sent)),
    answer !== '' && element('h3', 'Answered'),
    answer !== '' && code('Answered', readable(answer)),
  );
};

/** @param {ServedRequest} request */
const row = (request) => {
  const { time, method, url, status, millis } = request;
  const kind = kindOf(status);
  const details = element(
    'details',
    element(
      'summary',
      element(`span.pill.${kind}`, status),
      element('span.method', method),
      element('span.path', { title: url }, url),
      element('time.faint', { datetime: time, title: time }, timeOf(time)),
      element('span.cost.faint', `${count(millis)} ms${costOf(request)}`),
    ),
  );
  details.addEventListener('toggle', () => details.append(body(request)), { once: true });
  return element(`li${kind === 'good' ? '' : '.is-problem'}`, { 'data-id': request.id }, details);
};

const showTotal = () => {
  total.textContent = seen > 0 ? plural(seen, 'request') : '';
  empty.hidden = list.children.length > 0;
};

/** Adds requests on top, of which the newest is the last. @param {ServedRequest[]} requests @param {number} skipped */
export const addRequests = (requests, skipped = 0) => {
  seen += requests.length + skipped;
  list.prepend(...requests.map(row).reverse());
  while (list.children.length > maxRows) list.lastElementChild?.remove();
  showTotal();
};

/** Shows these requests and no others, and keeps the rows that are there already. @param {ServedRequest[]} requests */
export const setRequests = (requests) => {
  const ids = new Set([...list.children].map((child) => child.getAttribute('data-id')));
  if (!requests.some(({ id }) => ids.has(id))) {
    list.replaceChildren();
    seen = 0;
  }
  addRequests(requests.filter(({ id }) => !ids.has(id)));
};

/** Shows a first call to make. @param {string} curl */
export const setExample = (curl) => {
  const reference = element('a', { href: '/docs' }, 'API reference');
  const text = 'No request yet. Send this from a terminal, or use “Try it out” in the ';
  empty.replaceChildren(element('p', text, reference, '.'), command('Example', curl));
};

onlyProblems.addEventListener('change', () => list.classList.toggle('only-problems', onlyProblems.checked));
byId('requests-clear', HTMLButtonElement).addEventListener('click', () => {
  list.replaceChildren();
  seen = 0;
  showTotal();
});
