import { render } from 'preact';
import { App } from './app.tsx';
import { takeCode } from './session.ts';

/** The customer's page: what a store holds for one avatar, for whoever has the link of the terminal. */

// Before all else: a link's code must not stand in the address while anything else runs.
const isWhole = takeCode();
render(<App isWhole={isWhole} />, document.body);
