import { listPages } from '../../../lib/operator/end-pages.ts';
import type { Key } from '../../../lib/table/schema.ts';
import type { Kind } from './kind.ts';
import { personal } from './personal.ts';

/** Pages of customers, which live for an hour at most. Nothing exports them. */
export const pages: Kind = {
  personal: [
    personal<Key>({
      words: ['page', 'pages'],
      effect: 'ended',
      find: listPages,
      // The erasure ends them before it looks at what else there is, and looks again until there is none.
      kept: (page) => page,
    }),
  ],
};
