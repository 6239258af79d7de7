// @ts-check
import { call } from './data.js';
import { byId, element, tell } from './dom.js';

const modes = byId('modes', HTMLFieldSetElement);
const note = byId('dispenser-note', HTMLOutputElement);

/** The dispenser's modes: name, label, and their effect on a delivery. */
const behaviours = /** @type {const} */ ([
  ['normal', 'Normal', 'It gives each item and says so.'],
  ['slow', 'Slow', 'It takes 2 seconds for each item. The service waits 5 seconds for an answer.'],
  ['lost', 'Lost', 'Its address is gone. Deliveries wait until it registers again: choose another mode.'],
  ['error', 'Broken', 'It answers 500. The service retries, after growing pauses.'],
  ['garbage', 'Garbled', 'Its answer is not HTTP. The service retries.'],
  [
    'forgetful',
    'Forgetful',
    'It gives the item but does not say so. The service retries; the avatar must not get it twice.',
  ],
]);

/** @param {string} mode */
const explain = (mode) => behaviours.find(([name]) => name === mode)?.[2] ?? '';

/** @param {string} mode */
const choose = async (mode) => {
  await call('dispenser', { mode });
  return explain(mode);
};

for (const [mode, label] of behaviours) {
  const input = /** @type {HTMLInputElement} */ (element('input', { type: 'radio', name: 'mode', value: mode }));
  input.addEventListener('change', () => tell(note, () => choose(mode)));
  modes.append(element('label', input, element('span', label)));
}

/** Shows the dispenser's mode, which another page may have set. @param {string} mode */
export const showBehaviour = (mode) => {
  const input = modes.querySelector(`input[value="${CSS.escape(mode)}"]`);
  if (!(input instanceof HTMLInputElement) || input.checked) return;
  input.checked = true;
  note.textContent = explain(mode);
};
