/** Options of one call. */
export interface CallOptions {
  /** Ends the call, its pauses included. */
  signal?: AbortSignal;
  /**
   * For POST: the service makes a change once per key within 24 hours. The client makes a new key for each call. Pass
   * your own if your program may repeat the call, for example after a crash.
   */
  idempotencyKey?: string;
  /**
   * For PUT and DELETE of a category, coupon, customer, gift card or product: an `ETag` as read before. A 412 says that
   * somebody has changed it since. Other operations ignore it.
   */
  ifMatch?: string;
}

/** The parsed body of an answer, with what came along. */
export interface WithResponse<T> {
  data: T;
  status: number;
  /** The id to quote in a question to the merchant. */
  requestId: string | undefined;
  headers: Headers;
}

/** The parsed body, or undefined for 204. */
export interface Answered<T> extends Promise<T> {
  /** Resolves to the body with status, request id and headers, such as `ETag` and `Location`. */
  withResponse(): Promise<WithResponse<T>>;
}

/** A list's envelope. */
export interface Page {
  data: unknown[];
  pagination: { nextCursor: string | null };
}

/** A page of a list. `for await (const row of ...)` reads this page's rows and all later ones, page after page. */
export interface Listed<P> extends Answered<P>, AsyncIterable<P extends { data: (infer R)[] } ? R : never> {
  /** This page and the later ones, each with `data` and `pagination`. */
  pages(): AsyncGenerator<P, void, undefined>;
}

/** Makes the promise of a body from the promise of a whole answer. The caller handles a failure, once. */
export const answered = <T>(whole: Promise<WithResponse<T>>): Answered<T> => {
  const body = whole.then(({ data }) => data);
  const withResponse = () => {
    // The caller handles the failure of the promise that they use.
    body.catch(() => {});
    return whole;
  };
  return Object.assign(body, { withResponse });
};

/** Makes a list from its first page and a function that reads the page at a cursor. */
export const listed = <P>(first: Answered<P>, pageAt: (cursor: string) => Promise<P>): Listed<P> => {
  async function* pages(): AsyncGenerator<P, void, undefined> {
    for (let page = await first; ; ) {
      yield page;
      const { nextCursor } = (page as Page).pagination;
      if (nextCursor === null) return;
      page = await pageAt(nextCursor);
    }
  }
  async function* rows(): AsyncGenerator<never, void, undefined> {
    for await (const page of pages()) yield* (page as { data: never[] }).data;
  }
  return Object.assign(first, { pages, [Symbol.asyncIterator]: rows });
};
