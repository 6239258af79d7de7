import { authorOf } from '../../lib/credit/state.ts';
import { undoCreditChange } from '../../lib/credit/undo.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { undoCreditChange as row } from '../../lib/routes/credit.ts';

export const handler = endpoint(row, (request) => {
  const { store, params, body } = request;
  return undoCreditChange(store, params.identifier, body.sequence, authorOf(request));
});
