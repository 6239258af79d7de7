import { start } from './app.tsx';
import { keysAtStart } from './session.ts';

/** The desk as it is deployed. The local service adds `developer/`. */
start(keysAtStart());
