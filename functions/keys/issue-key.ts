import { endpoint } from '../../lib/http/endpoint.ts';
import { issueKey as row } from '../../lib/routes/keys.ts';
import { demandLive, issueFor } from '../../lib/store/key-requests.ts';

export const handler = endpoint(row, (asking) => issueFor(asking, asking.body), { beforeReplay: demandLive });
