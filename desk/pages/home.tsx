import { Heading } from '../parts/heading.tsx';
import { texts } from '../texts.ts';

export const HomePage = () => <Heading title={texts.home.title} />;
