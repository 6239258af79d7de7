import { registerHooks } from 'node:module';
import { plant } from './planted.ts';

/** The world loads this into the local service before everything else. It plants the fault that WORLD_PLANT names. */

const { WORLD_PLANT = '' } = process.env;

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    const text = String(loaded.source);
    const source = plant(WORLD_PLANT, url, text);
    return source === text ? loaded : { ...loaded, source };
  },
});
