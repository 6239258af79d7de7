import { runFaster } from './time.ts';

/** A process that loads this first keeps the world's time. */
runFaster(Number(process.env.WORLD_BEGUN), Number(process.env.WORLD_SPEED));
