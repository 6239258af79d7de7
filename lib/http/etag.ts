import { hash } from 'node:crypto';
import { preconditionFailed } from '../problem.ts';
import { type Route, takesIfMatch } from '../routes/route.ts';
import type { Precondition } from '../table/table.ts';

/**
 * The ETag of a state. It is strong: it depends on the whole body of the answer, and on more if a row asks for that.
 */
export const etagOf = (state: object): string => `"${hash('sha256', JSON.stringify(state), 'base64url').slice(0, 22)}"`;

const ifMatchFault = 'If-Match must be * or a list of ETags in double quotes, as answers have them.';

// RFC 9110 allows empty elements in a list, and any visible character but a quote in a tag.
const nextTag = /^([\t ,]*)((?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*")?/;

/** The entity tags of a list; undefined if the text is not such a list. */
const tagsOf = (text: string): string[] | undefined => {
  const tags: string[] = [];
  for (let rest = text; ; ) {
    const [matched = '', between = '', tag] = nextTag.exec(rest) ?? [];
    rest = rest.slice(matched.length);
    if (tag === undefined) return rest === '' ? tags : undefined;
    if (tags.length > 0 && !between.includes(',')) return undefined;
    tags.push(tag);
  }
};

/**
 * The precondition of a request with If-Match, given the header's values. There is none for `*`: a request for
 * something that does not exist is answered 404 anyway. A weak tag never matches, since all ETags of this service are
 * strong.
 */
export const preconditionOf = (row: Route, values: string[], faults: string[]): Precondition | undefined => {
  if (!takesIfMatch(row) || values.length === 0) return undefined;
  const text = values.join(',');
  if (text.trim() === '*') return undefined;
  const tags = tagsOf(text);
  if (!tags?.length) faults.push(ifMatchFault);
  return (current) => {
    const state = row.tagged?.parse(current) as object;
    if (!tags?.includes(etagOf(state))) throw preconditionFailed();
  };
};
