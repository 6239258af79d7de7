import { useEffect, useRef } from 'preact/hooks';

/** Forms with unsaved entries. Leaving a page that has one asks a question. */

const unsaved = new Set<object>();

/** Browsers ask in their own words. */
const holdTab = (event: Event): void => event.preventDefault();

/**
 * While nothing is unsaved nobody listens: a listener would keep browsers from quickly showing a page that is returned
 * to.
 */
const listen = (): void => {
  if (unsaved.size > 0) addEventListener('beforeunload', holdTab);
  else removeEventListener('beforeunload', holdTab);
};

type Leave = () => void;
let ask: ((leave: Leave) => void) | undefined;

/** Leaves the page, after a question if something is unsaved. Answers true if the question is asked. */
export const askToLeave = (leave: Leave): boolean => {
  if (unsaved.size === 0 || !ask) {
    leave();
    return false;
  }
  ask(() => {
    unsaved.clear();
    listen();
    leave();
  });
  return true;
};

/** `question` asks, and leaves if the answer is yes. Returns how to end that. */
export const setQuestion = (question: (leave: Leave) => void): (() => void) => {
  ask = question;
  return () => {
    ask = undefined;
  };
};

/** Tells a form that the program has changed its entries, as if a person had typed. */
export const tellForm = (form: HTMLFormElement | null | undefined): void => {
  form?.dispatchEvent(new InputEvent('input', { bubbles: true }));
};

/** Gives a form the function by which it says whether it is unsaved. A form that is gone is not unsaved. */
export const useUnsaved = (): ((isUnsaved: boolean) => void) => {
  const form = useRef({}).current;
  const set = useRef((isUnsaved: boolean): void => {
    if (isUnsaved) unsaved.add(form);
    else unsaved.delete(form);
    listen();
  }).current;
  useEffect(() => () => set(false), []);
  return set;
};
