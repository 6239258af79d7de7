// @ts-check

/**
 * Makes an element. Text goes in as text, so whatever a product or a customer is called cannot become markup.
 * @param {string} name tag and classes, such as `p.muted`
 * @param {Record<string, string | number | boolean | (() => void) | undefined>} attributes functions are click listeners
 * @param {(Node | string | number | undefined | false)[]} children
 */
export const element = (name, attributes = {}, ...children) => {
  const [tag = 'div', ...classes] = name.split('.');
  const made = document.createElement(tag);
  made.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener('click', value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(
    ...children
      .filter((child) => child !== undefined && child !== false)
      .map((child) => (child instanceof Node ? child : String(child))),
  );
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

/** How long that is, in the largest unit that fits. @param {number} millis */
export const lengthOf = (millis) => {
  const seconds = Math.abs(millis) / 1000;
  for (const [unit, size] of steps) if (seconds >= size) return plural(Math.floor(seconds / size), unit);
  return plural(Math.floor(seconds), 'second');
};

/** A button that copies a text. @param {string} label what is copied, for those who do not see it @param {string} text */
export const copyButton = (label, text) => {
  const button = element('button.quiet.copy', { type: 'button', 'aria-label': `Copy ${label}` }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
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
 * Shows other children in an element. What had the focus is made anew with the rest, and has it again.
 * @param {HTMLElement} parent its parts that can have the focus are in elements with a `data-id`
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
