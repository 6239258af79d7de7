import { registerHooks } from 'node:module';
import { mutants } from './mutants.ts';
import { planted } from './planting.ts';

/**
 * Loaded before a program, this plants the bug whose text is in MUTANT: Node gets the bug's file with the bug in it.
 */

const mutant = mutants.find(({ text }) => text === process.env.MUTANT);
if (!mutant) throw new Error(`No bug has the text of MUTANT: ${process.env.MUTANT}`);

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    return new URL(url).pathname.endsWith(`/${mutant.file}`)
      ? { ...loaded, source: planted(mutant, `${loaded.source}`) }
      : loaded;
  },
});
