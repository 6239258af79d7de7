import { type AnswerWithHeaders, headerValues } from './headers.ts';

/** The headers that let a page of this origin, or of any with `*`, read an answer. */
export const readableBy = (origin: string): Record<string, string> => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers':
    'ETag, X-Request-Id, Location, Idempotent-Replayed, Retry-After, Delivery-Id, Credit-Sequence',
});

/**
 * The CORS headers for an endpoint's answer. `origins` is `*`, or a list of origins separated by commas: then the
 * request's own origin counts. If it is undefined, no page of another origin may read an answer.
 */
export const corsHeaders = (origins: string | undefined, event: AnswerWithHeaders): Record<string, string> => {
  if (!origins) return {};
  const allowed = origins.split(',');
  if (allowed.length === 1) return readableBy(origins);
  const [origin = ''] = headerValues(event, 'origin');
  return { Vary: 'Origin', ...(allowed.includes(origin) && readableBy(origin)) };
};
