import { registerHooks } from 'node:module';
import { mutants } from './mutants.ts';

/** Loads the code with one planted bug, whose number MUTANT has. */

const mutant = mutants[Number(process.env.MUTANT)];

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!mutant || !url.endsWith(`/${mutant.file}`)) return loaded;
    const text = String(loaded.source);
    if (text.split(mutant.from).length !== 2) throw new Error(`${mutant.file} must have once: ${mutant.from}`);
    return { ...loaded, source: text.replace(mutant.from, () => mutant.to) };
  },
});
