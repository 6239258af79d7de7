import { registerHooks } from 'node:module';
import { mutants, planted } from './mutants.ts';

/** Loads the code with one planted bug, whose number MUTANT has. */

const mutant = mutants[Number(process.env.MUTANT)];

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!mutant || !url.endsWith(`/${mutant.file}`)) return loaded;
    return { ...loaded, source: planted(mutant, String(loaded.source)) };
  },
});
