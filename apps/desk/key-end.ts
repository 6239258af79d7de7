/** The end of the tab's key, and the key that replaces it, as the parts of the page hear of them. */

const bus = new EventTarget();

type KeyNews = 'ended' | 'replaced';

export const tellOfKey = (news: KeyNews): void => {
  bus.dispatchEvent(new Event(news));
};

/** Calls `listener` with each news. Returns how to end that. */
export const onKey = (news: KeyNews, listener: () => void): (() => void) => {
  bus.addEventListener(news, listener);
  return () => bus.removeEventListener(news, listener);
};
