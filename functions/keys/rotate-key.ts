import { endpoint } from '../../lib/http/endpoint.ts';
import { rotateKey as row } from '../../lib/routes/keys.ts';
import { demandLive, rotateFor } from '../../lib/store/key-requests.ts';

export const handler = endpoint(row, (asking) => rotateFor(asking, asking.params.keyId, asking.body), {
  beforeReplay: demandLive,
});
