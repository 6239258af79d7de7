import { registerHooks } from 'node:module';
import { plantInService } from './planted.ts';

/** The world loads this into the local service before all else: it plants the fault that WORLD_PLANT names. */

const { WORLD_PLANT = '' } = process.env;

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    const source = plantInService(WORLD_PLANT, url, () => String(loaded.source));
    return source === undefined ? loaded : { ...loaded, source };
  },
});
