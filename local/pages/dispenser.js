// @ts-check
import { call } from './data.js';
import { byId, element } from './dom.js';

const modes = byId('modes', HTMLFieldSetElement);
const note = byId('dispenser-note', HTMLOutputElement);

/** What the dispenser can be told to be, and what that means for a delivery. */
const behaviours = /** @type {const} */ ([
  ['normal', 'Normal', 'It gives each item and says so.'],
  ['slow', 'Slow', 'It takes 2 seconds for each item. The service waits 5 seconds for an answer.'],
  [
    'lost',
    'Lost',
    'Nobody is at its address. Deliveries wait until it registers again, which it does when you choose another.',
  ],
  ['error', 'Broken', 'It answers 500. Deliveries are tried again, after pauses that grow.'],
  ['garbage', 'Garbled', 'It answers what is not HTTP. Deliveries are tried again.'],
  [
    'forgetful',
    'Forgetful',
    'It gives the item but does not say so. The service asks again; it must not be given twice.',
  ],
]);

/** @param {string} mode */
const choose = async (mode) => {
  note.classList.remove('bad');
  try {
    await call('dispenser', { mode });
    note.textContent = behaviours.find(([name]) => name === mode)?.[2] ?? '';
  } catch (error) {
    note.classList.add('bad');
    note.textContent = String(error);
  }
};

for (const [mode, label] of behaviours) {
  const input = /** @type {HTMLInputElement} */ (element('input', { type: 'radio', name: 'mode', value: mode }));
  input.addEventListener('change', () => choose(mode));
  modes.append(element('label', {}, input, element('span', {}, label)));
}

/** Shows how the dispenser behaves now, whoever told it to. @param {string} mode */
export const showBehaviour = (mode) => {
  const input = modes.querySelector(`input[value="${CSS.escape(mode)}"]`);
  if (!(input instanceof HTMLInputElement) || input.checked) return;
  input.checked = true;
  note.textContent = behaviours.find(([name]) => name === mode)?.[2] ?? '';
};
