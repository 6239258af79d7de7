import type * as z from 'zod';
import type { Route } from '../../lib/routes/route.ts';

/** Finds fields of a request that its endpoint does not have and so ignores. Most are typing mistakes. */

/** The members of zod's definitions that lead from a schema to the ones inside it. */
interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  innerType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  options?: readonly z.ZodType[];
}

const unknownIn = (schema: z.ZodType, value: unknown, path: string): string[] => {
  const { type, shape, element, innerType, in: input, out, options } = schema.def as unknown as Definition;
  const within = type === 'pipe' && (input?.def as Definition | undefined)?.type === 'transform' ? out : input;
  const inner = innerType ?? within;
  if (inner) return unknownIn(inner, value, path);
  if (typeof value !== 'object' || value === null) return [];
  if (options) {
    const [first = [], ...others] = options.map((option) => unknownIn(option, value, path));
    return first.filter((name) => others.every((names) => names.includes(name)));
  }
  if (element && Array.isArray(value))
    return value.flatMap((member, index) => unknownIn(element, member, `${path}[${index}]`));
  if (!shape || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const own = path === '' ? name : `${path}.${name}`;
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return known ? unknownIn(known, member, own) : [own];
  });
};

/**
 * The names of a request's ignored fields: paths for the body, such as `discount.valeu` or `profitShares[0].share`, and
 * `?limt` for the query. None for a body that is not JSON, which the endpoint refuses.
 */
export const ignoredFields = (row: Pick<Route, 'body' | 'query'>, query: URLSearchParams, body: string): string[] => {
  const ofQuery = [...new Set(query.keys())]
    .filter((name) => !Object.hasOwn(row.query.shape, name))
    .map((name) => `?${name}`);
  if (!row.body) return ofQuery;
  try {
    return [...ofQuery, ...unknownIn(row.body, JSON.parse(body.replace(/^\ufeff/, '')), '')];
  } catch {
    return ofQuery;
  }
};
