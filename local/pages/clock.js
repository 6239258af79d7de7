// @ts-check
import { call } from './data.js';
import { byId, dateTimeOf, lengthOf, money, plural, tell } from './dom.js';

const time = byId('clock-time', HTMLTimeElement);
const ahead = byId('clock-ahead', HTMLElement);
const note = byId('clock-note', HTMLOutputElement);
const sweepAfter = byId('sweep-after', HTMLInputElement);

/** How far the service's clock is ahead of this one. */
let offsetMillis = 0;

export const serviceNow = () => Date.now() + offsetMillis;

const tick = () => {
  const timestamp = new Date(serviceNow()).toISOString();
  time.dateTime = timestamp;
  time.textContent = dateTimeOf(timestamp);
};
setInterval(tick, 1000);

/** @param {{ now: string, aheadSeconds: number }} clock */
export const setClock = ({ now, aheadSeconds }) => {
  offsetMillis = Date.parse(now) - Date.now();
  ahead.textContent = aheadSeconds > 0 ? `${lengthOf(aheadSeconds * 1000)} ahead` : 'Real time';
  tick();
};

/** @returns {Promise<string>} a report */
const sweep = async () => {
  const { lots, amount, failed } = await call('sweep', {});
  if (failed > 0) return `The sweep failed for ${plural(failed, 'customer')}: see the terminal.`;
  if (lots === 0) return 'The sweep found no expired credit.';
  return `The sweep closed ${plural(lots, 'lot')}: ${money(amount)} expired.`;
};

/** @param {number} advanceSeconds @param {string} label */
const advance = async (advanceSeconds, label) => {
  await call('clock', { advanceSeconds });
  const swept = sweepAfter.checked ? await sweep() : 'Expired credit is due until a change or the sweep closes it.';
  return `Moved ${label}. ${swept}`;
};

for (const button of document.querySelectorAll('button[data-advance]'))
  button.addEventListener('click', () =>
    tell(note, () => advance(Number(button.getAttribute('data-advance')), button.textContent ?? '')),
  );
byId('sweep', HTMLButtonElement).addEventListener('click', () => tell(note, sweep));
