import type { Route } from '../routes/route.ts';
import { type BegunRecord, countIn, demandPage } from '../store/pages.ts';
import { actedBy } from '../table/actor.ts';
import { endpoint, type Result } from './endpoint.ts';
import type { Request } from './request.ts';

type PageHandler<R extends Route> = (page: BegunRecord, request: Request<R>) => Promise<Result<R>>;

/** The Lambda function of a row that reads for the customer whose page asks. Each call counts. */
export const pageRead = <R extends Route>(row: R, handler: PageHandler<R>) =>
  endpoint(row, (request, page: BegunRecord) => handler(page, request), { admit: (id) => countIn(id, 'reads') });

/**
 * The Lambda function of a row that acts for the customer whose page asks. The page counts the act, and the customer is
 * the act's author. Everything else waits until the page was looked at: neither a kept answer nor a fault in the body
 * may hide that the page has ended.
 */
export const pageAct = <R extends Route>(row: R, handler: PageHandler<R>) =>
  endpoint(
    row,
    async (request, { id, uuid }: BegunRecord) => {
      const page = await countIn(id, 'acts');
      return actedBy({ type: 'customer', id: uuid, requestId: request.id }, () => handler(page, request));
    },
    { admit: demandPage },
  );
