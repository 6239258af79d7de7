// @ts-check

/** @typedef {Node | string | number | undefined | false} Child false and undefined are left out */

/**
 * Makes an element. Text stays text, so the name of a product or customer cannot become markup.
 * @param {string} name tag and classes, such as `p.muted`
 * @param {Record<string, string | number | boolean | (() => void) | undefined> | Child} [first] attributes, where a
 *   function listens for clicks, or the first child
 * @param {Child[]} rest
 */
export const element = (name, first, ...rest) => {
  const [tag = 'div', ...classes] = name.split('.');
  const made = document.createElement(tag);
  made.className = classes.join(' ');
  const hasAttributes = typeof first === 'object' && !(first instanceof Node);
  for (const [key, value] of Object.entries(hasAttributes ? first : {})) {
    if (typeof value === 'function') made.addEventListener('click', value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of hasAttributes ? rest : [first, ...rest])
    if (child !== undefined && child !== false) made.append(child instanceof Node ? child : String(child));
  return made;
};

/**
 * The element of that id, which the page has.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export const byId = (id, type) => {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${id}.`);
  return found;
};

const numbers = new Intl.NumberFormat('en');

/** @param {number} value */
export const count = (value) => numbers.format(value);

/** @param {number} value in L$ */
export const money = (value) => `${numbers.format(value)} L$`;

/** @param {number} value @param {string} one @param {string} [many] */
export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** Time of day in UTC. @param {string} timestamp */
export const timeOf = (timestamp) => timestamp.slice(11, 19);

/** Date and time in UTC. @param {string} timestamp */
export const dateTimeOf = (timestamp) => `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)}`;

const steps = /** @type {const} */ ([
  ['year', 365 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]);

/** A duration in the largest unit that fits. @param {number} millis */
export const lengthOf = (millis) => {
  const seconds = Math.abs(millis) / 1000;
  for (const [unit, size] of steps) if (seconds >= size) return plural(Math.floor(seconds / size), unit);
  return plural(Math.floor(seconds), 'second');
};

/** A button that copies a text. @param {string} label names the text to a screen reader @param {string} text */
const copyButton = (label, text) => {
  const button = element('button.quiet.copy', { type: 'button', 'aria-label': `Copy ${label}` }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    setTimeout(() => button.replaceChildren('Copy'), 1500);
  });
  return button;
};

/** A text with a button that copies it. @param {string} label @param {string} text */
export const copyable = (label, text) => [element('code', text), copyButton(label, text)];

/** A command for the terminal. @param {string} label @param {string} text */
export const command = (label, text) => element('div.command', code(label, text), copyButton('the command', text));

/** Names with their values; a name without a value is left out. @param {[string, Child | Node[]][]} entries */
export const facts = (...entries) => {
  const shown = entries.filter(([, value]) => value);
  return element(
    'dl.facts',
    ...shown.flatMap(([name, value]) => [element('dt', name), element('dd', ...[value].flat())]),
  );
};

/** Writes into a note what the work reports, or why it failed. @param {HTMLElement} note @param {() => Promise<string>} work */
export const tell = async (note, work) => {
  const [text, failed] = await work().then(
    (report) => [report, false],
    (error) => [error.message, true],
  );
  note.textContent = text;
  note.classList.toggle('bad', failed);
};

/** JSON laid out to be read; any other text as it is. @param {string} text */
export const readable = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** A block of code that the keyboard can scroll. @param {string} label @param {string} text */
export const code = (label, text) => element('pre', { tabindex: 0, role: 'group', 'aria-label': label }, text);

const focusable = 'summary, button, [tabindex]';

/**
 * Replaces the children of an element and keeps the focus: it goes to the new child at the old one's place.
 * @param {HTMLElement} parent every part that can have the focus is inside an element with a `data-id`
 * @param {(Node | undefined | false)[]} children
 */
export const replaceChildren = (parent, ...children) => {
  const active = document.activeElement;
  const holder = active instanceof HTMLElement && parent.contains(active) ? active.closest('[data-id]') : undefined;
  const place = holder ? [...holder.querySelectorAll(focusable)].indexOf(/** @type {Element} */ (active)) : -1;
  parent.replaceChildren(...children.filter((child) => child instanceof Node));
  if (!holder) return;
  const id = holder.getAttribute('data-id') ?? '';
  const next = parent.querySelector(`[data-id="${CSS.escape(id)}"]`)?.querySelectorAll(focusable)[place];
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
};

/** The ids of the open rows, which stay open when their list is shown anew. */
const opened = new Set();

/** A row that opens. @param {string} id @param {Node[]} summary @param {Node} content */
export const foldable = (id, summary, content) => {
  const details = element('details', { open: opened.has(id), 'data-id': id }, element('summary', ...summary), content);
  details.addEventListener('toggle', () => {
    if (/** @type {HTMLDetailsElement} */ (details).open) opened.add(id);
    else opened.delete(id);
  });
  return element('li', details);
};
