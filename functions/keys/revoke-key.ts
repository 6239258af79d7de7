import { endpoint } from '../../lib/http/endpoint.ts';
import { revokeKey as row } from '../../lib/routes/keys.ts';
import { demandLive, revokeFor } from '../../lib/store/key-requests.ts';

export const handler = endpoint(row, (asking) => revokeFor(asking, asking.params.keyId), { beforeReplay: demandLive });
