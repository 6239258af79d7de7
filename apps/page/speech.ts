import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Speech, speak } from './language.ts';

/** The language of the page, for all its parts. */
export const SpeechContext = createContext<Speech>(speak('en', []));

export const useSpeech = (): Speech => useContext(SpeechContext);
