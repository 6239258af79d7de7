import { endpoint } from '../../lib/http/endpoint.ts';
import { acceptInvitation as row } from '../../lib/routes/keys.ts';
import { acceptFor } from '../../lib/store/key-requests.ts';

export const handler = endpoint(row, acceptFor);
