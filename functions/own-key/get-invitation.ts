import { endpoint } from '../../lib/http/endpoint.ts';
import { getInvitation as row } from '../../lib/routes/keys.ts';
import { getInvitation } from '../../lib/store/key-requests.ts';

export const handler = endpoint(row, getInvitation);
